import type { AnswerMessage, RunMessage } from "../messages.ts";
import type { PyodideInterface } from "./interpreter.ts";

/** What a run does to the outside. */
export interface Host {
	write(channel: "stdout" | "stderr", bytes: Uint8Array): void;
	report(text: string): void;
	call(method: "GET" | "PUT" | "DELETE", path: string, body: string | null): AnswerMessage;
}

export interface RunEnd {
	readonly exitCode: number;
	readonly error?: string;
}

type RunFunction = ((...values: RunArguments) => number) & {
	/** Call it on a stack of its own, so that Python can wait for promises. */
	callPromising(...values: RunArguments): Promise<number>;
};

type RunArguments = readonly [request: string, environment: string, host: unknown];

/** Call the Python half (python/run_pyodide.py). `canSwitch`: whether Node has stacks that can be switched. */
export async function runAction(python: PyodideInterface, message: RunMessage, host: Host, canSwitch: boolean): Promise<RunEnd> {
	capture("stdout", python.setStdout, host);
	capture("stderr", python.setStderr, host);
	python.setStdin({ stdin: () => null });
	const calls = {
		report: host.report,
		call(method: "GET" | "PUT" | "DELETE", path: string, body: string | undefined) {
			const { status, text } = host.call(method, path, body ?? null);
			return [status, text];
		},
	};
	try {
		const run = python.pyimport("run_pyodide.run") as RunFunction;
		const values: RunArguments = [message.request, JSON.stringify(message.environment), calls];
		return { exitCode: await (canSwitch ? run.callPromising(...values) : run(...values)) };
	} catch (error) {
		return toEnd(error);
	}
}

function capture(channel: "stdout" | "stderr", set: PyodideInterface["setStdout"], host: Host): void {
	set({
		write(bytes) {
			host.write(channel, bytes);
			return bytes.length;
		},
	});
}

/** The driver lets nothing through, so it was the interpreter that ended: by `os._exit`, or damaged. */
function toEnd(error: unknown): RunEnd {
	const status: unknown = (error as { readonly status?: unknown } | null)?.status;
	if (typeof status === "number") return { exitCode: status };
	return { exitCode: 1, error: `the interpreter gave up: ${String((error as Error)?.message ?? error).slice(0, 500)}` };
}
