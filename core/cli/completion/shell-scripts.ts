// The scripts call the command itself, so that they need no update if the command changes. Output of the command is never evaluated: it
// contains names that any user with the right to create records has chosen.

const bash = `# Completion of svc for bash: eval "$(svc completion bash)"
_svc() {
	local line="\${COMP_LINE:0:COMP_POINT}"
	local -a words
	read -ra words <<<"$line"
	[[ "$line" == *[[:space:]] ]] && words+=("")
	mapfile -t COMPREPLY < <("\${words[0]}" complete -- "\${words[@]:1}" 2>/dev/null | cut -f1)
}
complete -o default -F _svc svc
`;

const zsh = `#compdef svc
# Completion of svc for zsh: eval "$(svc completion zsh)", behind compinit
_svc() {
	local line
	local -a candidates
	"\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | while IFS= read -r line; do
		candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
	done
	if (( \${#candidates} )); then
		_describe -V svc candidates
	else
		_files
	fi
}
if [[ "\${funcstack[1]}" == _svc ]]; then
	_svc "$@"
else
	compdef _svc svc
fi
`;

const fish = `# Completion of svc for fish: svc completion fish | source
function __svc_complete
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	set -l lines ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
	if test (count $lines) -gt 0
		printf '%s\\n' $lines
	else
		__fish_complete_path "$current"
	end
end
complete -c svc -f -a '(__svc_complete)'
`;

/** Scripts that make each shell complete words of `svc`. */
export const shellScripts: ReadonlyMap<string, string> = new Map(Object.entries({ bash, zsh, fish }));
