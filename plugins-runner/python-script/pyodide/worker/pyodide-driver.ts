import { stringifyJson } from "../../../../core/contract/index.ts";
import type { AnswerMessage, RunMessage } from "../worker-protocol.ts";
import type { PyodideInterface } from "./interpreter.ts";

/** Functions with which a run sends its output, its report and its calls to the service. */
export interface Host {
	write(channel: "stdout" | "stderr", bytes: Uint8Array): void;
	report(text: string): void;
	call(method: "GET" | "PUT" | "DELETE", path: string, body: string | null): AnswerMessage;
}

export interface RunEnd {
	readonly exitCode: number;
	readonly error?: string;
}

type PythonFunction = ((...values: readonly unknown[]) => unknown) & {
	/** Calls the function on a separate stack, so that Python can wait for promises. */
	callPromising(...values: readonly unknown[]): Promise<unknown>;
};

/** Maximum number of output bytes in one message. */
const pieceSize = 65_536;

/** Calls the functions of python/run_pyodide.py, which is part of the snapshot. */
export class PyodideDriver {
	readonly #python: PyodideInterface;
	readonly #canSwitch: boolean;

	/** @param canSwitch true if Node.js supports stack switching */
	constructor(python: PyodideInterface, canSwitch: boolean) {
		this.#python = python;
		this.#canSwitch = canSwitch;
	}

	/** Performs the steps of a run without effect, so that the run does not wait for their compilation to machine code. */
	async warmUp(): Promise<void> {
		const nobody: Host = { write() {}, report() {}, call: () => ({ status: 0, text: "" }) };
		this.#captureOutput(nobody);
		await this.#call("warm_up", toPythonHost(nobody));
	}

	async run(message: RunMessage, host: Host): Promise<RunEnd> {
		this.#captureOutput(host);
		this.#python.setStdin({ stdin: () => null });
		try {
			const exitCode = await this.#call("run", message.request, stringifyJson(message.environment), toPythonHost(host));
			return { exitCode: Number(exitCode) };
		} catch (error) {
			return toEnd(error);
		}
	}

	#captureOutput(host: Host): void {
		const capture = (channel: "stdout" | "stderr") => ({
			write(bytes: Uint8Array) {
				for (let start = 0; start < bytes.length; start += pieceSize) host.write(channel, bytes.subarray(start, start + pieceSize));
				return bytes.length;
			},
		});
		this.#python.setStdout(capture("stdout"));
		this.#python.setStderr(capture("stderr"));
	}

	async #call(name: string, ...values: readonly unknown[]): Promise<unknown> {
		const target = this.#python.pyimport(`run_pyodide.${name}`) as PythonFunction;
		return this.#canSwitch ? target.callPromising(...values) : target(...values);
	}
}

/** Converts a host for Python. JavaScript receives Python's None as undefined, and Python unpacks the answer by position. */
function toPythonHost(host: Host): unknown {
	return {
		report: host.report,
		call(method: "GET" | "PUT" | "DELETE", path: string, body: string | undefined) {
			const { status, text } = host.call(method, path, body ?? null);
			return [status, text];
		},
	};
}

/**
 * Converts an error of the interpreter. The driver catches all exceptions of Python, so the interpreter itself ended: by `os._exit`, or
 * because it is damaged.
 */
function toEnd(error: unknown): RunEnd {
	const status: unknown = (error as { readonly status?: unknown } | null)?.status;
	if (typeof status === "number") return { exitCode: status };
	return { exitCode: 1, error: `the interpreter failed: ${String((error as Error)?.message ?? error).slice(0, 500)}` };
}
