"""The completion scripts of the four shells. They ask the program itself, so they stay true when commands change."""

from __future__ import annotations

from typing import Final

_BASH: Final = r"""# bash completion for zeroclaw
_zeroclaw() {
    local line candidates=() names=""
    local current="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :file) names=file ;;
            :dir) names=dir ;;
            *) candidates+=("$line") ;;
        esac
    done < <(_ZEROCLAW_COMPLETE=bash "${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ $names == file ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    elif [[ $names == dir ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current")
    fi
    COMPREPLY+=("${candidates[@]}")
}
complete -F _zeroclaw zeroclaw
"""

_ZSH: Final = r"""#compdef zeroclaw
# zsh completion for zeroclaw
_zeroclaw() {
    local line value description names=""
    local -a described
    while IFS= read -r line; do
        case "$line" in
            :file) names=file ;;
            :dir) names=dir ;;
            *)
                value="${line%%$'\t'*}"
                description=""
                [[ "$line" == *$'\t'* ]] && description="${line#*$'\t'}"
                described+=("${value//:/\\:}${description:+:$description}")
                ;;
        esac
    done < <(_ZEROCLAW_COMPLETE=zsh "${words[1]}" "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( ${#described} )) && _describe -V zeroclaw described
    [[ $names == file ]] && _files
    [[ $names == dir ]] && _files -/
    return 0
}
if [[ "${funcstack[1]}" == "_zeroclaw" ]]; then
    _zeroclaw "$@"
else
    compdef _zeroclaw zeroclaw
fi
"""

_FISH: Final = r"""# fish completion for zeroclaw
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
"""

_POWERSHELL: Final = r"""# PowerShell completion for zeroclaw
Register-ArgumentCompleter -Native -CommandName zeroclaw -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
    $program = $words[0]
    $given = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') { $given += '""' }
    $env:_ZEROCLAW_COMPLETE = 'powershell'
    try {
        & $program @given 2>$null | ForEach-Object {
            $value, $description = $_ -split "`t", 2
            if ($value -eq ':file' -or $value -eq ':dir') {
                [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
            }
            else {
                if (-not $description) { $description = $value }
                [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
            }
        }
    }
    finally {
        Remove-Item Env:\_ZEROCLAW_COMPLETE
    }
}
"""

# Name of the file under completions/ -> its text.
SCRIPTS: Final = {
    "zeroclaw.bash": _BASH,
    "_zeroclaw": _ZSH,
    "zeroclaw.fish": _FISH,
    "zeroclaw.ps1": _POWERSHELL,
}
BY_SHELL: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}
