/** What fish sources after the person's own configuration (`-C`): marks as events, and Enter as a function. */
import { fillIn, type InitParts } from './parts.ts'

export const fishInit = (parts: InitParts): string => fillIn(SCRIPT, parts)

const SCRIPT = `
set -g __covey_key '@KEY@'
set -g __covey_request '@REQUEST@'
set -g __covey_reply '@REPLY@'
set -g __covey_id 0
set -g __covey_arrowed 0
type -q covey; or function covey; @COVEY@ $argv; end

function __covey_prompt --on-event fish_prompt --on-event fish_cancel
    __covey_arrows 0
    printf '\\e]133;A;%s\\a' $__covey_key > /dev/tty
end

function __covey_preexec --on-event fish_preexec
    __covey_send start '' "$argv[1]"
    printf '\\e]133;C;%s\\a' $__covey_key > /dev/tty
end

function __covey_postexec --on-event fish_postexec
    printf '\\e]133;D;%s;%s\\a' $__covey_key $status > /dev/tty
end

function __covey_send
    printf '%s\\0' $__covey_key $__covey_id $argv[1] "$argv[2]" $PWD "$argv[3]" > $__covey_request
end

# One field each: what an interrupted read leaves behind has no number that fits.
function __covey_receive
    while read -z -l record < $__covey_reply
        set -l fields (string split -m 2 ' ' -- "$record")
        test "$fields[1]" = $__covey_id; or continue
        set -g __covey_action $fields[2]
        set -g __covey_text "$fields[3]"
        return 0
    end
    return 1
end

# Below everything that is on the line, whatever the cursor is on.
function __covey_leave_line
    set -l rest (string sub -s (math (commandline -C) + 1) -- "$argv[1]" | string collect)
    if test -z "$rest"
        printf '\\e[J\\r\\n' > /dev/tty
        return
    end
    set -l lines (string split \\n -- "$rest" | count)
    set -l rows (math "$lines + floor($(string length -- "$rest") / $COLUMNS)")
    string repeat -n $rows \\r\\n > /dev/tty
end

function __covey_exchange
    set -l line (commandline | string collect)
    set -l word (string match -r '^[^\\s;|&<>()]+' -- (string trim -l -- "$line")[1])
    set -l kind (type -t -- "$word" 2> /dev/null)
    set -g __covey_id (math $__covey_id + 1)
    __covey_send $argv[1] "$kind[1]" "$line"
    __covey_receive; or return
    if test "$__covey_action" = ask
        __covey_leave_line "$line"
        printf '\\e]133;R;%s\\a' $__covey_key > /dev/tty
        string match -qr '^[4-9]' -- $version; and history append -- "$line" 2> /dev/null
        set -g __covey_action none
        set -g __covey_text ''
        __covey_receive
        commandline -f repaint
    end
    switch "$__covey_action"
        case run
            test -n "$__covey_text"; and commandline -r -- "$__covey_text"
            __covey_arrows 0
            commandline -f execute
        case none
            commandline -r ''
            __covey_arrows 0
        case line pick
            commandline -r -- "$__covey_text"
            test "$__covey_action" = pick; and __covey_arrows 1
    end
end

function __covey_enter
    if commandline --paging-mode; or commandline --search-mode
        commandline -f execute
        return
    end
    if test -z (string trim -- (commandline | string collect) | string collect)
        commandline -f execute
        return
    end
    __covey_exchange enter
end

# Up and Down choose among several proposals, and are the person's own again afterwards.
function __covey_arrows
    test $__covey_arrowed = $argv[1]; and return
    set -g __covey_arrowed $argv[1]
    for mode in default insert
        for end in '[' O
            for letter in A B
                set -l keys \\e$end$letter
                if test $argv[1] = 1
                    set -l verb up
                    test $letter = B; and set verb down
                    bind -M $mode $keys "__covey_exchange $verb"
                else
                    bind -M $mode -e $keys
                end
            end
        end
    end
end

for mode in default insert
    bind -M $mode \\r __covey_enter
    bind -M $mode \\n __covey_enter
    bind -M $mode \\e\\r '__covey_exchange ask'
    bind -M $mode \\e\\n '__covey_exchange ask'
end
`
