import { type JsonObject, type Logger, type SensorContext, SvcError, stringifyJson, toErrorMessage } from "../../../core/contract/index.ts";
import { type SensorCall, type SensorMessage, toMessage } from "./messages.ts";
import { callService } from "./sensor-calls.ts";
import { followTriggers } from "./trigger-changes.ts";

/** Most bytes of a line of the process (python/svc/host.py); a longer one ends it. */
const longestLine = 4 * 1024 * 1024;
/** Calls that go on at once before the process has to wait. */
const mostCalls = 16;

/** The service's half of the line between it and the process of a sensor (python/svc/host.py). */
export class Dialogue {
	readonly #context: SensorContext;
	readonly #calls = new Set<Promise<void>>();
	readonly #controller = new AbortController();
	/** Told by the process to have been dealt with. */
	#onTold: ((number: number) => void) | undefined;
	#rest = "";
	#write: (text: string) => void = () => {};

	constructor(context: SensorContext) {
		this.#context = context;
	}

	/** Begin to tell of triggers. Resolves when `end` was called; rejects when they cannot be told of. */
	async begin(write: (text: string) => void): Promise<void> {
		this.#write = write;
		await followTriggers(this.#context, this.#controller.signal, (number, changes) => {
			const told = new Promise<void>((resolve) => {
				this.#onTold = (which) => which === number && resolve();
			});
			this.#say({ number, changes });
			return told;
		});
	}

	/** Ask the process to end. */
	stop(): void {
		this.#say({ stop: true });
	}

	/** Nothing is told any more. Resolves when what the process has asked for is done. */
	async end(): Promise<void> {
		this.#controller.abort();
		await Promise.all(this.#calls);
	}

	/** Take a piece of what the process says. While this has not resolved nothing more is read, and in the end the process waits. */
	async take(text: string): Promise<void> {
		const lines = (this.#rest + text).split("\n");
		this.#rest = lines.pop() ?? "";
		if (this.#rest.length > longestLine)
			throw new SvcError("SVC_RUNNER", `it wrote a line of more than ${longestLine} bytes to descriptor 3`);
		for (const line of lines) await this.#receive(toMessage(line));
	}

	async #receive(message: SensorMessage): Promise<void> {
		if ("log" in message) writeLog(this.#context.logger, message);
		else if ("told" in message) this.#onTold?.(message.told);
		else {
			const call = this.#answer(message).finally(() => this.#calls.delete(call));
			this.#calls.add(call);
			if (this.#calls.size >= mostCalls) await Promise.race(this.#calls);
		}
	}

	async #answer({ call, method, arguments: given }: SensorCall): Promise<void> {
		try {
			this.#say({ answer: call, value: (await callService(this.#context, method, given)) ?? null });
		} catch (error) {
			this.#say({ answer: call, error: toErrorMessage(error) });
		}
	}

	#say(message: JsonObject): void {
		this.#write(`${stringifyJson(message)}\n`);
	}
}

function writeLog(logger: Logger, { log, name, text }: Extract<SensorMessage, { readonly log: unknown }>): void {
	logger[log]("sensor says", { logger: name, text });
}
