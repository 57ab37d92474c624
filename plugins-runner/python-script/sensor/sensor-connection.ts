import {
	type JsonObject,
	type JsonValue,
	type Logger,
	maxLargeNumbers,
	parseJson,
	type SensorContext,
	type SensorState,
	type SensorTrigger,
	type SensorTriggerChange,
	SvcError,
	stringifyJson,
	type TriggerReference,
	toErrorMessage,
} from "../../../core/contract/index.ts";

/** Maximum length of a line from the process (python/svc/host.py); a longer line ends the process. */
const maxLineLength = 4 * 1024 * 1024;
/** Maximum number of concurrent calls. At this limit, nothing more is read from the process until a call has ended. */
const maxCalls = 16;

/** The service's end of the connection to the process of a sensor (python/svc/host.py). */
export class SensorConnection {
	readonly #context: SensorContext;
	readonly #calls = new Set<Promise<void>>();
	readonly #controller = new AbortController();
	/** Called with a number when the process confirms that it has handled the changes with that number. */
	#onTold: ((number: number) => void) | undefined;
	#rest = "";
	#write: (text: string) => void = () => {};

	constructor(context: SensorContext) {
		this.#context = context;
	}

	/** Starts to send trigger changes. Resolves after `end` was called; rejects if the triggers cannot be followed. */
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

	/** Requests the process to end. */
	stop(): void {
		this.#say({ stop: true });
	}

	/** Stops sending trigger changes. Resolves when all calls of the process are complete. */
	async end(): Promise<void> {
		this.#controller.abort();
		await Promise.all(this.#calls);
	}

	/**
	 * Handles a part of the output on descriptor 3. Until it resolves nothing more is read, so that the process blocks when the pipe is
	 * full.
	 */
	async take(text: string): Promise<void> {
		const lines = (this.#rest + text).split("\n");
		this.#rest = lines.pop() ?? "";
		if (this.#rest.length > maxLineLength)
			throw new SvcError("SVC_RUNNER", `it wrote a line of more than ${maxLineLength} bytes to descriptor 3`);
		for (const line of lines) await this.#receive(toMessage(line));
	}

	async #receive(message: SensorMessage): Promise<void> {
		if ("log" in message) writeLog(this.#context.logger, message);
		else if ("told" in message) this.#onTold?.(message.told);
		else {
			const call = this.#answer(message).finally(() => this.#calls.delete(call));
			this.#calls.add(call);
			if (this.#calls.size >= maxCalls) await Promise.race(this.#calls);
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

const levels = ["debug", "info", "warn", "error"] as const;

/** A request of the process to call a method of the service and to return its result. */
interface SensorCall {
	readonly call: number;
	readonly method: string;
	readonly arguments: JsonObject;
}

type SensorMessage =
	| SensorCall
	| { readonly log: (typeof levels)[number]; readonly name: string; readonly text: string }
	/** Confirms that the process has handled the trigger changes with this number. */
	| { readonly told: number };

/**
 * Parses a line. Any code in the process can write to the descriptor, so every field is validated. Throws `SVC_RUNNER` if the line is not a
 * valid message.
 */
function toMessage(line: string): SensorMessage {
	const message = parse(line);
	const { call, method, arguments: given, log, name, text, told } = message;
	if (typeof call === "number" && typeof method === "string" && typeof given === "object" && given !== null && !Array.isArray(given)) {
		return { call, method, arguments: given as JsonObject };
	}
	const level = levels.find((known) => known === log);
	if (level !== undefined) return { log: level, name: String(name), text: String(text) };
	if (typeof told === "number") return { told };
	throw notUnderstood();
}

function parse(line: string): JsonObject {
	try {
		const value: unknown = parseJson(line, maxLargeNumbers);
		if (typeof value === "object" && value !== null) return value as JsonObject;
	} catch {
		// Not JSON: throws below.
	}
	throw notUnderstood();
}

function notUnderstood(): SvcError {
	return new SvcError("SVC_RUNNER", "it wrote to descriptor 3, which is reserved for the service");
}

type Call = (context: SensorContext, given: JsonObject) => Promise<JsonValue | undefined>;

/** Methods of the service that sensors may call, by name (python/svc/sensor_service.py). */
const calls: Readonly<Record<string, Call>> = {
	dispatch: async ({ dispatch }, { trigger, payload, trace_tag, trace_id }) => {
		if (!isObject(payload)) throw new SvcError("SVC_INVALID", "payload: must be an object");
		const trace = {
			...(typeof trace_tag === "string" && { traceTag: trace_tag }),
			...(typeof trace_id === "string" && { traceId: trace_id }),
		};
		return dispatch(toReference(trigger), payload, trace);
	},
	get: async (context, given) => toState(context, given).get(toText(given, "name")),
	async set(context, given) {
		const { ttl, secret } = given;
		if (ttl !== null && ttl !== undefined && typeof ttl !== "number") throw new SvcError("SVC_INVALID", "ttl: must be a number of seconds");
		const options = { ...(typeof ttl === "number" && { ttl }), secret: secret === true };
		await toState(context, given).set(toText(given, "name"), toText(given, "value"), options);
		return true;
	},
	delete: async (context, given) => toState(context, given).delete(toText(given, "name")),
	list: async (context, given) => (await toState(context, given).list(toText(given, "prefix"))).map((item) => ({ ...item })),
};

/** Calls a method of the service for a sensor. Rejects with the reason if the call fails. */
async function callService(context: SensorContext, method: string, given: JsonObject): Promise<JsonValue | undefined> {
	const call = Object.hasOwn(calls, method) ? calls[method] : undefined;
	if (call === undefined) throw new SvcError("SVC_INVALID", `method: unknown method "${method.slice(0, 100)}"`);
	return call(context, given);
}

/** Returns the sensor's own datastore items, or, if `local` is false, the system's items with their full names. */
function toState({ state, datastore }: SensorContext, { local }: JsonObject): SensorState {
	return local === false ? datastore : state;
}

function toReference(trigger: JsonValue | undefined): TriggerReference {
	if (typeof trigger === "string") return trigger;
	const { type, parameters } = isObject(trigger) ? trigger : {};
	if (typeof type !== "string" || !isObject(parameters))
		throw new SvcError("SVC_INVALID", "trigger: must be a ref or a type with parameters");
	return { type, parameters };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toText(given: JsonObject, member: string): string {
	const value = given[member];
	if (typeof value !== "string") throw new SvcError("SVC_INVALID", `${member}: must be a string`);
	return value;
}

/** Sends trigger changes to the process; resolves when the process has handled them. */
type TellChanges = (number: number, changes: readonly JsonObject[]) => Promise<void>;

/**
 * Sends the triggers of the sensor's types until the signal aborts, one change set at a time. The first set contains the existing triggers
 * and is sent even if there are none.
 */
async function followTriggers(context: SensorContext, signal: AbortSignal, tell: TellChanges): Promise<void> {
	const aborted = new Promise<"aborted">((resolve) => {
		if (signal.aborted) resolve("aborted");
		else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
	});
	const changes = context.followTriggers()[Symbol.asyncIterator]();
	let number = 0;
	for (;;) {
		const next = await Promise.race([changes.next(), aborted]);
		if (next === "aborted" || next.done === true) return;
		number += 1;
		const told = tell(number, toChanges(next.value));
		if ((await Promise.race([told, aborted])) === "aborted") return;
	}
}

/**
 * Converts changes for the process. A trigger that was removed and added with the same ref has new parameters, so it is sent as an update.
 */
function toChanges({ added, removed }: SensorTriggerChange): readonly JsonObject[] {
	const before = new Set(removed.map(({ ref }) => ref));
	const after = new Set(added.map(({ ref }) => ref));
	return [
		...removed.filter(({ ref }) => !after.has(ref)).map((trigger) => ({ kind: "remove", trigger: toPython(trigger) })),
		...added.map((trigger) => ({ kind: before.has(trigger.ref) ? "update" : "add", trigger: toPython(trigger) })),
	];
}

/** Returns the fields of a trigger that sensors read. */
function toPython({ ref, type, parameters }: SensorTrigger): JsonObject {
	const dot = ref.indexOf(".");
	const [pack, name] = [ref.slice(0, dot), ref.slice(dot + 1)];
	return { id: ref, uid: `trigger:${pack}:${name}`, ref, pack, name, type, parameters };
}
