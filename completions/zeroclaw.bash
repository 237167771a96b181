# bash completion for zeroclaw
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
