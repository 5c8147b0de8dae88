/** Chat templates of the fake servers, as model families write them. */

const TOOLS = `{%- if tools %}
    {{- '<|im_start|>system\\n' + system + '\\n\\n# Tools\\n\\n<tools>' }}
    {%- for tool in tools %}
        {{- '\\n' }}{{- tool | tojson }}
    {%- endfor %}
    {{- '\\n</tools>\\n\\nFor each call write <tool_call>\\n{"name": <function-name>, "arguments": <args-json-object>}\\n</tool_call><|im_end|>\\n' }}
{%- elif system %}
    {{- '<|im_start|>system\\n' + system + '<|im_end|>\\n' }}
{%- endif %}`

const TURNS = `{%- for message in rest %}
    {%- if message.role == 'tool' %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
    {%- elif message.tool_calls %}
        {{- '<|im_start|>assistant\\n' + message.content }}
        {%- for call in message.tool_calls %}
            {{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
            {{- call.function.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}`

const HEAD = `{%- set system = '' %}{%- set rest = messages %}
{%- if messages[0].role == 'system' %}{%- set system = messages[0].content %}{%- set rest = messages[1:] %}{%- endif %}
`

/** Qwen and its like: everything goes. */
const chatml = HEAD + TOOLS + TURNS

/** Mistral's way. */
const strict =
  HEAD +
  `{%- for message in rest %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif %}
{%- endfor %}` +
  TOOLS +
  TURNS

/** Gemma's way. */
const noSystem =
  `{%- if messages[0].role == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}` +
  chatml

/** Results are no message of their own. */
const noToolRole =
  `{%- for message in messages %}{%- if message.role not in ['system', 'user', 'assistant'] %}
{{- raise_exception('Only user and assistant roles are supported!') }}
{%- endif %}{%- endfor %}` + chatml

/** SmolLM2's own: no place for tools, and a system text of its own where none is given. */
const toolless = `{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system
You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>
' }}{% endif %}{{'<|im_start|>' + message['role'] + '
' + message['content'] + '<|im_end|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}`

export const templates = { chatml, strict, noSystem, noToolRole, toolless } as const
export type TemplateName = keyof typeof templates
