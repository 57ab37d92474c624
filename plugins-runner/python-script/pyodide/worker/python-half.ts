import { stringifyJson } from "../../../../core/contract/index.ts";
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

type PythonFunction = ((...values: readonly unknown[]) => unknown) & {
	/** Call it on a stack of its own, so that Python can wait for promises. */
	callPromising(...values: readonly unknown[]): Promise<unknown>;
};

/** Bytes of output that are handed on at once. */
const pieceSize = 65_536;

/** The functions of python/run_pyodide.py, which the snapshot holds. */
export class PythonHalf {
	readonly #python: PyodideInterface;
	readonly #canSwitch: boolean;

	/** @param canSwitch whether Node has stacks that can be switched */
	constructor(python: PyodideInterface, canSwitch: boolean) {
		this.#python = python;
		this.#canSwitch = canSwitch;
	}

	/** Do what every run does, to no effect, so that the run need not wait for the machine code of it. */
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

/** What becomes of None differs with the direction, and Python takes values apart by their place. */
function toPythonHost(host: Host): unknown {
	return {
		report: host.report,
		call(method: "GET" | "PUT" | "DELETE", path: string, body: string | undefined) {
			const { status, text } = host.call(method, path, body ?? null);
			return [status, text];
		},
	};
}

/** The driver lets nothing through, so it was the interpreter that ended: by `os._exit`, or damaged. */
function toEnd(error: unknown): RunEnd {
	const status: unknown = (error as { readonly status?: unknown } | null)?.status;
	if (typeof status === "number") return { exitCode: status };
	return { exitCode: 1, error: `the interpreter gave up: ${String((error as Error)?.message ?? error).slice(0, 500)}` };
}
