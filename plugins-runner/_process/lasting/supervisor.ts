/**
 * Shell texts that start a process which outlives the service. `$0` is only a name. Tools are looked for in a path of our own, as
 * the action may set any.
 */
const tools = "/usr/local/bin:/usr/bin:/bin";

/** Arguments: supervisor text, execution id, run directory, program, its arguments. Leaves the supervisor behind in a session of its own. */
const starter = `
path=$PATH
PATH=${tools}
command -v setsid >/dev/null || exit 127
supervisor=$1
[ -z "$2" ] || export SVC_ACTION_EXECUTION_ID="$2"
shift 2
exec 3<&0
setsid /bin/sh -c "$supervisor" svc-supervisor "$path" "$@" <&3 3<&- >/dev/null 2>&1 &
`;

/**
 * Arguments: the action's PATH, run directory, program, its arguments. Writes to the run directory what identifies it (\`process\`,
 * which only one may make), the output (\`stdout\`, \`stderr\`) and, in one piece, the exit code (\`status\`). The output goes
 * through pipes, as programs know them: a file could be cut short by whoever opens it again. TERM is for the program; whatever
 * it still prints then must be kept.
 */
const supervisor = `
path=$1
directory=$2
shift 2
read -r stat <"/proc/$$/stat"
set -C
{ echo "$stat" >"$directory/process"; } 2>/dev/null || exit
set +C
trap : TERM INT HUP
keep() {
	trap '' TERM INT HUP
	exec cat >>"$directory/$1"
}
{
	{
		trap : TERM INT HUP
		PATH=$path "$@" 2>&3 3>&-
		echo "$?" >"$directory/status.new"
		mv "$directory/status.new" "$directory/status"
	} 2>/dev/null | keep stdout 3>&-
} 3>&1 | keep stderr
`;

/** Arguments for `/bin/sh` that start `file` under a supervisor and return at once. */
export function createStarterArguments(run: {
	readonly directory: string;
	/** Empty: none. */
	readonly executionId: string;
	readonly file: string;
	readonly args: readonly string[];
}): string[] {
	return ["-c", starter, "svc-starter", supervisor, run.executionId, run.directory, run.file, ...run.args];
}
