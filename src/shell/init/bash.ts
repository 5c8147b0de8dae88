/**
 * What bash is started with. It reads the person's profiles as a login shell would, then adds marks around prompt and output
 * and a widget to Enter. bash cannot accept a line from `bind -x`, so Enter is a macro of two keys: the first asks Covey, the
 * second accepts the line or does nothing.
 */
import { fillIn, type InitParts } from './parts.ts'

export const bashInit = (parts: InitParts): string => fillIn(SCRIPT, parts)

const SCRIPT = `
[ -r /etc/profile ] && . /etc/profile
if [ -r ~/.bash_profile ]; then . ~/.bash_profile
elif [ -r ~/.bash_login ]; then . ~/.bash_login
elif [ -r ~/.profile ]; then . ~/.profile
elif [ -r ~/.bashrc ]; then . ~/.bashrc
fi
[ -r ~/.bash_logout ] && [ -z "$(trap -p EXIT)" ] && trap '. ~/.bash_logout' EXIT
type -t covey > /dev/null || covey() { @COVEY@ "$@"; }

__covey_key='@KEY@' __covey_request='@REQUEST@' __covey_reply='@REPLY@'
__covey_id=0 __covey_inside=1 __covey_accepts= __covey_up= __covey_down=
printf -v __covey_a '\\e]133;A;%s\\a' "$__covey_key"
printf -v __covey_b '\\e]133;B;%s\\a' "$__covey_key"
printf -v __covey_c '\\e]133;C;%s\\a' "$__covey_key"

__covey_first() {
  local status=$?
  printf '\\e]133;D;%s;%s\\a' "$__covey_key" "$status" > /dev/tty
  return "$status"
}

__covey_last() {
  local status=$?
  [[ $PS1 == *__covey_a* ]] || PS1='\\[\${__covey_a}\\]'"$PS1"'\\[\${__covey_b}\\]'
  [[ $PS0 == *__covey_c* ]] || PS0+='\${__covey_c}'
  __covey_inside=0
  __covey_arrows 0
  return "$status"
}

# Accepts nothing itself: says what the second key of Enter does.
__covey_accept() {
  [[ $__covey_accepts == "$1" ]] && return
  __covey_accepts=$1
  local map does=end-of-line
  [[ $1 == 1 ]] && does=accept-line
  for map in emacs vi-insert vi-command; do bind -m "$map" '"\\e[9991~": '"$does"; done
}

__covey_send() {
  printf '%s\\0' "$__covey_key" "$__covey_id" "$1" "$2" "$PWD" "$3" > "$__covey_request"
}

# One field each: what an interrupted read leaves behind has no number that fits.
__covey_receive() {
  local record
  while IFS= read -r -d '' record < "$__covey_reply"; do
    [[ $record == "$__covey_id "* ]] || continue
    record=\${record#* }
    __covey_action=\${record%% *} __covey_text=\${record#* }
    return 0
  done
  return 1
}

__covey_exchange() {
  local word=\${READLINE_LINE#"\${READLINE_LINE%%[![:space:]]*}"} kind line=$READLINE_LINE
  word=\${word%%[[:space:];|&<>()]*}
  kind=$(type -t -- "$word")
  ((__covey_id++))
  __covey_action=keep __covey_text=
  __covey_send "$1" "$kind" "$line"
  __covey_receive || return 0
  if [[ $__covey_action == ask ]]; then
    printf '\\e]133;R;%s\\a' "$__covey_key" > /dev/tty
    history -s -- "$line"
    __covey_action=none __covey_text=
    __covey_receive || :
  fi
  case $__covey_action in
    run) [[ -n $__covey_text ]] && READLINE_LINE=$__covey_text
         __covey_arrows 0; __covey_inside=1; __covey_accept 1; return ;;
    none) READLINE_LINE= READLINE_POINT=0; __covey_arrows 0 ;;
    line|pick) READLINE_LINE=$__covey_text READLINE_POINT=2147483647
         [[ $__covey_action == pick ]] && __covey_arrows 1 ;;
  esac
  __covey_accept 0
}

__covey_enter() {
  # A further line of a command, or an answer to \`read -e\`.
  if ((__covey_inside)); then
    __covey_send more '' "$READLINE_LINE"
    __covey_accept 1
  elif [[ -z \${READLINE_LINE//[[:space:]]/} ]]; then
    __covey_accept 1
  else
    __covey_exchange enter
  fi
}

__covey_ask() { __covey_exchange ask; }
__covey_pick() { __covey_exchange "$1"; }

# Up and Down choose among several proposals, and are the person's own again afterwards.
__covey_arrows() {
  [[ $__covey_arrowed == "$1" ]] && return
  __covey_arrowed=$1
  local map end
  for map in emacs vi-insert; do
    for end in '[' O; do
      if (($1)); then
        bind -m "$map" -x '"\\e'"$end"'A": __covey_pick up'
        bind -m "$map" -x '"\\e'"$end"'B": __covey_pick down'
      else
        # Two steps: what \`bind -x\` set is not replaced in place by every version.
        bind -m "$map" -r '\\e'"$end"A; bind -m "$map" -r '\\e'"$end"B
        bind -m "$map" '"\\e'"$end"'A": '"\${__covey_up:-previous-history}"
        bind -m "$map" '"\\e'"$end"'B": '"\${__covey_down:-next-history}"
      fi
    done
  done
}

if [[ $- == *i* && -t 0 ]]; then
  __covey_arrowed=0
  while IFS= read -r __covey_text; do
    case $__covey_text in
      '"\\e[A": '[a-z]*) __covey_up=\${__covey_text#*: } ;;
      '"\\e[B": '[a-z]*) __covey_down=\${__covey_text#*: } ;;
    esac
  done < <(bind -p 2> /dev/null)
  if [[ $(declare -p PROMPT_COMMAND 2> /dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__covey_first "\${PROMPT_COMMAND[@]}" __covey_last)
  else
    PROMPT_COMMAND=__covey_first$'\\n'"\${PROMPT_COMMAND:-:}"$'\\n'__covey_last
  fi
  for __covey_text in emacs vi-insert vi-command; do
    bind -m "$__covey_text" -x '"\\e[9990~": __covey_enter'
    bind -m "$__covey_text" '"\\C-m": "\\e[9990~\\e[9991~"'
    bind -m "$__covey_text" '"\\C-j": "\\e[9990~\\e[9991~"'
  done
  for __covey_text in emacs vi-insert; do
    bind -m "$__covey_text" -x '"\\e[9992~": __covey_ask'
    bind -m "$__covey_text" '"\\e\\C-m": "\\e[9992~\\e[9991~"'
  done
  __covey_accept 1
fi
`
