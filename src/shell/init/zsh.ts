/**
 * The `.zshenv` zsh is started with, in a folder of its own. It gives ZDOTDIR back before anything else is read, so every
 * file of the person's is found where it always is, and starts at the first prompt, when they have all been read.
 */
import { fillIn, type InitParts } from './parts.ts'

export const zshInit = (parts: InitParts): string => fillIn(SCRIPT, parts)

const SCRIPT = `
if [[ -n \${COVEY_ZDOTDIR+x} ]]; then
  export ZDOTDIR=$COVEY_ZDOTDIR
  unset COVEY_ZDOTDIR
else
  unset ZDOTDIR
fi
[[ -r \${ZDOTDIR:-$HOME}/.zshenv ]] && source "\${ZDOTDIR:-$HOME}/.zshenv"

__covey_start() {
  builtin emulate -L zsh
  precmd_functions=(\${precmd_functions:#__covey_start})
  precmd_functions=(__covey_precmd $precmd_functions)
  preexec_functions+=(__covey_preexec)
  whence covey > /dev/null || function covey { @COVEY@ "$@" }
  zle -N covey-enter __covey_enter
  zle -N covey-ask __covey_ask
  zle -N covey-up __covey_up
  zle -N covey-down __covey_down
  local map
  for map in emacs viins vicmd; do
    bindkey -M $map '^M' covey-enter
    bindkey -M $map '^J' covey-enter
    bindkey -M $map '^[^M' covey-ask
  done
  __covey_precmd
}

if [[ -o interactive ]]; then
  typeset -g __covey_key='@KEY@' __covey_request='@REQUEST@' __covey_reply='@REPLY@'
  typeset -gi __covey_id=0
  typeset -g __covey_action __covey_text
  typeset -gA __covey_saved
  typeset -ga precmd_functions preexec_functions
  precmd_functions+=(__covey_start)
fi

__covey_precmd() {
  local code=$?
  __covey_arrows 0
  print -rn -- $'\\e]133;D;'"$__covey_key;$code"$'\\a\\e]133;A;'"$__covey_key"$'\\a' > /dev/tty
}

__covey_preexec() {
  builtin emulate -L zsh
  __covey_send start '' "$1"
  print -rn -- $'\\e]133;C;'"$__covey_key"$'\\a' > /dev/tty
}

__covey_send() { printf '%s\\0' "$__covey_key" "$__covey_id" "$1" "$2" "$PWD" "$3" > $__covey_request }

# One field each: what an interrupted read leaves behind has no number that fits.
__covey_receive() {
  local record
  while IFS= read -r -d '' record < $__covey_reply; do
    [[ $record == "$__covey_id "* ]] || continue
    record=\${record#* }
    __covey_action=\${record%% *} __covey_text=\${record#* }
    return 0
  done
  return 1
}

__covey_exchange() {
  builtin emulate -L zsh
  local word=\${BUFFER#"\${BUFFER%%[![:space:]]*}"} kind line=$BUFFER
  word=\${word%%[[:space:];|&<>()]*}
  kind=\${"$(whence -w -- "$word" 2> /dev/null)"##*: }
  (( __covey_id++ ))
  __covey_action=keep __covey_text=
  __covey_send $1 "$kind" "$line"
  __covey_receive || return 0
  if [[ $__covey_action == ask ]]; then
    zle -I
    print -rn -- $'\\e]133;R;'"$__covey_key"$'\\a' > /dev/tty
    print -sr -- "$line"
    __covey_action=none __covey_text=
    __covey_receive || :
  fi
  case $__covey_action in
    run) [[ -n $__covey_text ]] && BUFFER=$__covey_text
         __covey_arrows 0; zle accept-line ;;
    none) BUFFER= ; __covey_arrows 0 ;;
    line|pick) BUFFER=$__covey_text CURSOR=\${#__covey_text}
         [[ $__covey_action == pick ]] && __covey_arrows 1 ;;
  esac
}

__covey_enter() {
  # A further line of a command, or the input of \`vared\` and \`select\`.
  if [[ $CONTEXT != start || -z \${BUFFER//[[:space:]]/} ]]; then
    zle accept-line
  else
    __covey_exchange enter
  fi
}

__covey_ask() { __covey_exchange ask }
__covey_up() { __covey_exchange up }
__covey_down() { __covey_exchange down }

# Up and Down choose among several proposals, and are the person's own again afterwards.
__covey_arrows() {
  local map end
  for map in emacs viins; do
    for end in '[A' '[B' OA OB; do
      local widget=covey-up
      [[ $end == *B ]] && widget=covey-down
      if (( $1 )); then
        [[ -n \${__covey_saved[$map$end]} ]] || __covey_saved[$map$end]=\${"$(bindkey -M $map "^[$end")"##* }
        bindkey -M $map "^[$end" $widget
      elif [[ -n \${__covey_saved[$map$end]} ]]; then
        bindkey -M $map "^[$end" \${__covey_saved[$map$end]}
        __covey_saved[$map$end]=
      fi
    done
  done
}
`
