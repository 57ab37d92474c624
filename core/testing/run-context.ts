import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import {
	type ActionSignature,
	type CapturedOutput,
	type ChildRequest,
	type Expressions,
	type JsonObject,
	type JsonValue,
	type Logger,
	type OutputType,
	type ParameterDefinition,
	type ParameterDefinitions,
	type ParameterValues,
	RunAborted,
	type RunContext,
	SvcError,
	type TaskState,
	type TriggerReference,
} from "../contract/index.ts";
import { createExpressions } from "../language/expressions/expressions.ts";
import { createTestChildren, type OnChild, type TestChildren } from "./run-children.ts";

/** Options of the context of a run under test. */
export interface RunContextOptions<S extends ParameterDefinitions = ParameterDefinitions> {
	/** Parameters from the action or the caller. Defaults are added, and values that the schema does not allow are refused. */
	readonly runnerParameters?: { readonly [K in keyof S]?: ParameterValues<S>[K] | null };
	readonly actionParameters?: JsonObject;
	readonly actionSchema?: ParameterDefinitions;
	readonly entryPoint?: string;
	readonly packDirectory?: string;
	readonly environment?: Readonly<Record<string, string>>;
	readonly packConfig?: JsonObject;
	/** Maximum bytes that `captured` keeps for each channel. Default 1 MiB. */
	readonly maxResultOutput?: number;
	/** Continues the run of another context, as when `recover` is called: with its ids and its emitted output. */
	readonly after?: Pick<RunContext, "execution_id" | "liveaction_id"> & {
		readonly chunks: readonly EmittedChunk[];
		readonly children?: TestChildren;
		readonly entries?: readonly JsonObject[];
	};
	/** Makes the run a partial re-run of an earlier execution. The run can read its journal and the results of its children. */
	readonly takesUp?: {
		readonly run: Pick<TestRunContext, "execution_id" | "entries" | "children">;
		readonly tasks: readonly string[];
		/** Default: none. */
		readonly reset?: readonly string[];
	};
	/** `context` of the execution. Default: user and pack. */
	readonly context?: JsonObject;
	/** `notify` of the execution: the recipients of its result. Default: none. */
	readonly notify?: JsonObject;
	/** Decides how children end. Default: each succeeds at once with an empty result. */
	readonly onChild?: OnChild;
	/** Returns the error that prevents a child from starting, or undefined. */
	readonly onPrepare?: (request: ChildRequest) => SvcError | undefined;
	/** Actions by ref, with the fields that differ from the defaults (enabled, no parameters). Default: every action exists. */
	readonly actions?: Readonly<Record<string, Partial<ActionSignature>>>;
	/** Refs of actions whose children support pausing. Default: none. */
	readonly workflows?: readonly string[];
	/** Default: the expressions of the host, without a datastore. */
	readonly expressions?: Expressions;
	/** Called before a journal entry is stored. An error simulates a refusal by the storage. */
	readonly onAppend?: (entry: JsonObject) => Promise<void> | void;
	/** Called before a state is stored. An error simulates a refusal by the storage. */
	readonly onSaveState?: (state: JsonObject) => Promise<void> | void;
	/** Returns the stdout text of all emitted chunks, for a runner with its own output format. Default: stdout as emitted. */
	readonly readOutput?: ReadOutput;
	/** Called and awaited for each chunk, after it has been added to `chunks`. An error simulates a refusal by the storage. */
	readonly onEmit?: (type: OutputType, data: string) => Promise<void> | void;
}

/** A chunk of output that a runner under test has emitted. */
export interface EmittedChunk {
	readonly type: OutputType;
	readonly data: string;
}

/** Returns the text that a run has printed on stdout so far. The last chunk may contain only the beginning of a message. */
export type ReadOutput = (chunks: readonly EmittedChunk[]) => string;

/** A `RunContext` that records what the run does, and that a test can abort. */
export type TestRunContext<S extends ParameterDefinitions = ParameterDefinitions> = RunContext<S> & {
	/** All emitted chunks, in order. */
	readonly chunks: readonly EmittedChunk[];
	/** Returns all output of one channel; stdout is read by `readOutput`. */
	text(type: OutputType): string;
	/** Everything that the run has announced and dispatched, in order. */
	readonly announcements: readonly { readonly route: string; readonly payload: JsonObject }[];
	readonly dispatched: readonly { readonly trigger: TriggerReference; readonly payload: JsonObject }[];
	/** Returns the state that the run last passed to `saveState`. */
	savedState(): JsonObject | undefined;
	/** The children that the run has started, with methods for the test to end them. */
	readonly children: TestChildren;
	/** All journal entries, the oldest first, and all reported task states, in order. */
	readonly entries: readonly JsonObject[];
	readonly tasks: readonly TaskState[];
	/** Changes of its own execution that the run has requested. */
	readonly requests: readonly ("pause" | "cancel")[];
	/** Aborts the signal `pausing`, as the host does to pause the run. */
	pause(): void;
	/** Aborts the run, as the host would. */
	abort(kind: RunAborted["kind"]): void;
	/** Simulates that another node has taken over the execution: aborts the run and refuses everything that it stores from then on. */
	lose(): void;
	/** Resolves when `text(type)` contains `part`. */
	waitFor(type: OutputType, part: string): Promise<void>;
};

/**
 * Prefix of ids that is unique to this process. Runners find the processes of a run by its id, and other test processes may run on the same
 * machine.
 */
const ofThisProcess = randomBytes(9).toString("hex");
let lastExecution = 0;

const nextId = () => ofThisProcess + (++lastExecution).toString(16).padStart(6, "0");

/** Creates the context that the host passes to `run` of this runner, for tests of a runner without the host. */
export function createRunContext<S extends ParameterDefinitions>(
	runner: { readonly parameters: S },
	options: RunContextOptions<S> = {},
): TestRunContext<S> {
	const hold = createHold();
	const { signal, pausing, assertHeld } = hold;
	const output = createOutput(options);
	const announcements: { route: string; payload: JsonObject }[] = [];
	const dispatched: { trigger: TriggerReference; payload: JsonObject }[] = [];
	const requests: ("pause" | "cancel")[] = [];
	const saved: { state?: JsonObject } = {};
	const { children: earlier } = options.takesUp?.run ?? {};
	const children = createTestChildren({ ...options, signal, assertHeld, after: options.after?.children, takenUp: earlier });
	return {
		...toGiven(runner, options),
		...createTestJournal(options, { assertHeld, children, onFirst: () => (saved.state ??= {}) }),
		signal,
		pausing,
		setRunnerInfo: () => {},
		announce: (route, payload) => void announcements.push({ route, payload }),
		dispatch: async (trigger, payload) => String(dispatched.push({ trigger, payload })),
		async saveState(state) {
			assertHeld();
			await options.onSaveState?.(state);
			saved.state = state;
		},
		children,
		requests,
		async request(change) {
			assertHeld();
			requests.push(change);
			if (change === "pause") hold.pause();
			else hold.abort("cancel");
		},
		announcements,
		dispatched,
		savedState: () => saved.state,
		pause: hold.pause,
		abort: hold.abort,
		lose: hold.lose,
		...output,
		async emit(type, data) {
			assertHeld();
			await output.emit(type, data);
		},
	};
}

/** Returns the members of the context that never change during the run. */
function toGiven<S extends ParameterDefinitions>(runner: { readonly parameters: S }, options: RunContextOptions<S>) {
	return {
		execution_id: options.after?.execution_id ?? nextId(),
		liveaction_id: options.after?.liveaction_id ?? nextId(),
		action_ref: "tests.action",
		pack: "tests",
		user: "tester",
		entryPoint: options.entryPoint ?? "",
		packDirectory: options.packDirectory,
		runnerParameters: toParameterValues(runner.parameters, { ...options.runnerParameters }),
		actionParameters: options.actionParameters ?? {},
		actionSchema: options.actionSchema ?? {},
		environment: options.environment ?? {},
		logger: silentLogger,
		packConfig: options.packConfig ?? {},
		context: options.context ?? { user: "tester", pack: "tests" },
		notify: options.notify ?? null,
		expressions: options.expressions ?? createExpressions(),
		findAction: async (ref: string) => toSignature(ref, options.actions),
		takenUp: toTakenUp(options.takesUp),
	};
}

/** Creates the signals of a run and its ownership of the execution, with methods by which a test ends them. */
function createHold() {
	const controller = new AbortController();
	const pausing = new AbortController();
	// A run may add many listeners at once, for example one for each request. Node.js 20 warns at the eleventh listener.
	setMaxListeners(0, controller.signal, pausing.signal);
	let isLost = false;
	const abort = (kind: RunAborted["kind"]) => controller.abort(new RunAborted(kind, `the test ended the run: ${kind}`));
	return {
		signal: controller.signal,
		pausing: pausing.signal,
		pause: () => pausing.abort(),
		abort,
		lose() {
			isLost = true;
			abort("cancel");
		},
		assertHeld() {
			if (isLost) throw new SvcError("SVC_CONFLICT", "the execution no longer belongs to this run");
		},
	};
}

/** A logger that discards everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function toSignature(ref: string, actions: RunContextOptions["actions"]): ActionSignature | undefined {
	if (actions !== undefined && !Object.hasOwn(actions, ref)) return undefined;
	return { ref, enabled: true, parameters: {}, ...actions?.[ref] };
}

function createOutput({
	onEmit,
	after,
	maxResultOutput = 1_048_576,
	readOutput,
}: Pick<RunContextOptions, "onEmit" | "after" | "maxResultOutput" | "readOutput">) {
	const chunks: EmittedChunk[] = [...(after?.chunks ?? [])];
	const waiting = new Set<() => void>();
	const emitted = (type: OutputType) =>
		chunks
			.filter((chunk) => chunk.type === type)
			.map((chunk) => chunk.data)
			.join("");
	const text = (type: OutputType) => (type === "stdout" && readOutput !== undefined ? readOutput(chunks) : emitted(type));
	return {
		chunks,
		text,
		async emit(type: OutputType, data: string) {
			chunks.push({ type, data });
			for (const look of waiting) look();
			await onEmit?.(type, data);
		},
		captured: (type: OutputType) => cut(emitted(type), maxResultOutput),
		waitFor: (type: OutputType, part: string) =>
			new Promise<void>((resolve) => {
				const look = () => {
					if (!text(type).includes(part)) return;
					waiting.delete(look);
					resolve();
				};
				waiting.add(look);
				look();
			}),
	};
}

function cut(text: string, limit: number): CapturedOutput {
	const bytes = Buffer.from(text);
	if (bytes.length <= limit) return { text, truncated: false, bytes: bytes.length };
	// Do not cut within a UTF-8 character.
	let end = limit;
	while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
	return { text: bytes.toString("utf8", 0, end), truncated: true, bytes: bytes.length };
}

/** Converts parameters as the host does: adds defaults and refuses values that the schema does not allow. */
function toParameterValues<S extends ParameterDefinitions>(
	schema: S,
	given: Readonly<Record<string, JsonValue | undefined>>,
): ParameterValues<S> {
	for (const name of Object.keys(given))
		if (!Object.hasOwn(schema, name)) throw new Error(`parameter "${name}" is not one of the runner's`);
	const values = Object.entries(schema).map(([name, definition]) => [name, toValue(name, definition, given[name])] as const);
	// Each value was checked against its definition; the type system cannot express that.
	return Object.fromEntries(values) as ParameterValues<S>;
}

function toValue(name: string, definition: ParameterDefinition, given: JsonValue | undefined): JsonValue | undefined {
	const value = given ?? definition.default ?? undefined;
	if (value === undefined) {
		if (definition.required === true) throw new Error(`parameter "${name}" is required`);
		return undefined;
	}
	if (definition.type !== undefined && !isOfType(value, definition.type))
		throw new Error(`parameter "${name}" must be of type ${definition.type}`);
	if (definition.enum !== undefined && !definition.enum.includes(value))
		throw new Error(`parameter "${name}" must be one of ${definition.enum.join(", ")}`);
	return value;
}

function isOfType(value: JsonValue, type: NonNullable<ParameterDefinition["type"]>): boolean {
	if (type === "array") return Array.isArray(value);
	if (type === "integer") return Number.isInteger(value);
	if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
	return type === "null" ? value === null : typeof value === type;
}

/** Subset of the context options that the journal uses. */
interface TestJournalOptions {
	readonly after?: { readonly entries?: readonly JsonObject[] };
	readonly onAppend?: (entry: JsonObject) => Promise<void> | void;
}

interface TakenRun {
	readonly run: { readonly execution_id: string; readonly entries: readonly JsonObject[] };
	readonly tasks: readonly string[];
	readonly reset?: readonly string[];
}

/** Creates an in-memory journal that also starts the children of its entries. */
function createTestJournal(
	{ after, onAppend }: TestJournalOptions,
	{ assertHeld, children, onFirst }: { readonly assertHeld: () => void; readonly children: TestChildren; readonly onFirst: () => void },
) {
	const entries: JsonObject[] = [...(after?.entries ?? [])];
	const tasks: TaskState[] = [];
	const journal: RunContext["journal"] = {
		async read() {
			assertHeld();
			return structuredClone(entries);
		},
		async append(entry, step = {}) {
			const kept = structuredClone(entry);
			await onAppend?.(kept);
			assertHeld();
			entries.push(kept);
			onFirst();
			children.startPrepared(step.start ?? []);
			tasks.push(...(step.tasks ?? []));
		},
	};
	return { journal, entries, tasks };
}

/** Returns the earlier execution that a partial re-run repeats, or undefined for a normal run. */
function toTakenUp(takesUp: TakenRun | undefined): RunContext["takenUp"] {
	if (takesUp === undefined) return undefined;
	const { run, tasks, reset = [] } = takesUp;
	return { execution_id: run.execution_id, tasks, reset, entries: structuredClone(run.entries) };
}
