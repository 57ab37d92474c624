import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { defineRunner, type RunContext, type RunResult } from "../../contract/index.ts";
import type { RunnerCases } from "../runner-suite.ts";

/** What the runner does wrong; nothing by default. */
export interface ShellFaults {
	/** TERM is all that a process gets. */
	readonly isGentle?: boolean;
	/** Processes that have left the group live on. */
	readonly isGroupOnly?: boolean;
	/** An abort is answered while the process goes on. */
	readonly endsBeforeProcess?: boolean;
	/** The end of stdout is taken for the end of the run. */
	readonly endsWithOutput?: boolean;
	/** Each piece of output is decoded alone. */
	readonly cutsCharacters?: boolean;
	/** The output of what runs is decoded as if it were Latin 1. */
	readonly isLatin?: boolean;
	/** Secret parameters stand on the command line. */
	readonly showsSecret?: boolean;
}

const parameters = { cmd: { type: "string", default: "" }, secret: { type: "string", secret: true } } as const;
type Context = RunContext<typeof parameters>;

/** Milliseconds between TERM and KILL. */
const patience = 150;

/** A small runner of commands, sound without faults. */
export const shellRunner = defineRunner("tests.shell", (faults: ShellFaults = {}) => ({
	description: "Runs a command.",
	parameters,
	capabilities: { streaming: true, cancellation: true },
	run: (context: Context) => runShell(context, faults),
}));

export const shellCases: RunnerCases = {
	succeeds: { runnerParameters: { cmd: "true" } },
	fails: { runnerParameters: { cmd: "exit 3" } },
	prints: (count) => ({ runnerParameters: { cmd: `i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); done` } }),
	blocks: { runnerParameters: { cmd: "echo ready; sleep 600" } },
	printsInvalid: { runnerParameters: { cmd: "printf 'a\\377b\\n'" } },
	printsSplit: { runnerParameters: { cmd: "printf '\\303'; sleep 0.1; printf '\\251\\n'" } },
	closesOutput: { runnerParameters: { cmd: "echo ready; exec >&-; sleep 0.2; exit 4" } },
	ignoresTerm: { runnerParameters: { cmd: "trap '' TERM; echo ready; while :; do sleep 600; done" } },
	doubleForks: (mark) => ({
		runnerParameters: { cmd: `(setsid sh -c "trap '' TERM; sleep ${mark}; sleep 1" >/dev/null 2>&1 &); sleep 0.3; echo ready; sleep 600` },
	}),
	hidesSecret: (secret) => ({ runnerParameters: { cmd: "echo ready; sleep 600", secret } }),
};

async function runShell(context: Context, faults: ShellFaults): Promise<RunResult> {
	if (context.signal.aborted) return { succeeded: false, result: {} };
	const { cmd, secret } = context.runnerParameters;
	const env = { ...context.environment, PATH: process.env["PATH"], SECRET: secret };
	const child = spawn("/bin/sh", ["-c", cmd, ...(faults.showsSecret && secret !== undefined ? [secret] : [])], {
		detached: true,
		stdio: ["ignore", "pipe", "ignore"],
		env,
	});
	const abort = () => endProcesses(child, context, faults);
	context.signal.addEventListener("abort", abort);
	const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
	const aborted = new Promise<null>((resolve) => context.signal.addEventListener("abort", () => resolve(null)));
	try {
		const output = printOutput(child, context, faults);
		const ends = [output.then((end) => (faults.endsWithOutput ? end : closed)), ...(faults.endsBeforeProcess ? [aborted] : [])];
		const code = await Promise.race(ends);
		return { succeeded: code === 0, result: { code } };
	} catch (error) {
		abort();
		throw error;
	} finally {
		if (!faults.endsBeforeProcess) context.signal.removeEventListener("abort", abort);
	}
}

/** Resolves with 0 at the end of stdout. */
async function printOutput({ stdout }: ChildProcess, { emit }: Context, { cutsCharacters, isLatin }: ShellFaults): Promise<number> {
	const decoder = new StringDecoder("utf8");
	for await (const bytes of stdout as AsyncIterable<Buffer>) {
		const text = isLatin ? bytes.toString("latin1") : cutsCharacters ? bytes.toString() : decoder.write(bytes);
		if (text !== "") await emit("stdout", text);
	}
	return 0;
}

function endProcesses(child: ChildProcess, { execution_id }: Context, { isGentle, isGroupOnly, endsBeforeProcess }: ShellFaults): void {
	if (endsBeforeProcess) return;
	kill(-(child.pid ?? 0), "SIGTERM");
	if (isGentle) return;
	setTimeout(() => {
		kill(-(child.pid ?? 0), "SIGKILL");
		if (!isGroupOnly) killAll(`SVC_ACTION_EXECUTION_ID=${execution_id}`);
	}, patience);
}

/** End every process that has `text` in its environment or on its command line. */
export function killAll(text: string): void {
	for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid))) {
		try {
			const holds = ["environ", "cmdline"].some((file) => readFileSync(`/proc/${pid}/${file}`, "latin1").includes(text));
			if (holds) kill(Number(pid), "SIGKILL");
		} catch {
			// It has ended, or belongs to somebody else.
		}
	}
}

function kill(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended by itself.
	}
}
