# fish completion for zeroclaw
function __zeroclaw_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in (_ZEROCLAW_COMPLETE=fish $before[1] $before[2..] "$current" 2>/dev/null)
        switch "$line"
            case :file
                __fish_complete_path "$current"
            case :dir
                __fish_complete_directories "$current"
            case '*'
                echo "$line"
        end
    end
end
complete -c zeroclaw -f -a '(__zeroclaw_complete)'
