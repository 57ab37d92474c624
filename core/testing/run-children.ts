import {
	type Child,
	type ChildExecutions,
	type ChildRequest,
	type ChildWait,
	type ExecutionStatus,
	type JsonObject,
	type PreparedChild,
	SvcError,
} from "../contract/index.ts";

/** Status and result that a test gives to a child: its end, or an inquiry. */
export interface ChildEnd {
	/** New status of the child. The child remains open if the status is not final. Default `succeeded`. */
	readonly status?: ExecutionStatus;
	/** New result of the child. Default `{}`. */
	readonly result?: JsonObject;
}

/** A child that a run under test has started. */
export type TestChild = Child &
	Pick<ChildRequest, "parameters" | "delay" | "notify" | "takesUp"> & { readonly key: string; readonly result: JsonObject | null };

/** Decides how a started child ends. If it returns undefined, the child runs until the test ends it or the run cancels it. */
export type OnChild = (child: TestChild) => ChildEnd | undefined | Promise<ChildEnd | undefined>;

/** Children that run nothing: the test decides how they end. */
export interface TestChildren extends ChildExecutions {
	/** All children, in the order of their start. */
	readonly started: readonly TestChild[];
	/** Ends a child, or sets a status that is not final, such as `pending` or `paused`. Does nothing if the child has ended. */
	end(key: string, end?: ChildEnd): void;
	/** Resolves with the first child that has not ended, as soon as one exists. */
	whenOpen(): Promise<TestChild>;
	/** Starts prepared children, as `journal.append` does. */
	startPrepared(children: readonly PreparedChild[]): void;
}

export interface TestChildrenOptions {
	readonly signal: AbortSignal;
	/** Throws if the run no longer owns its execution. */
	readonly assertHeld: () => void;
	readonly onChild?: OnChild | undefined;
	/** Children of an earlier run of the same execution, which this run shares. */
	readonly after?: TestChildren | undefined;
	/** Children of the execution that is partially re-run. Their results can be read. */
	readonly takenUp?: TestChildren | undefined;
	/** Refs of actions that are workflows and therefore can pause. Default: none. */
	readonly workflows?: readonly string[] | undefined;
	/** Returns the error that prevents a child from starting, or undefined. Default: every child can start. */
	readonly onPrepare?: ((request: ChildRequest) => SvcError | undefined) | undefined;
}

type TestRunOptions = TestChildrenOptions & { readonly onChild: OnChild };

const final: readonly ExecutionStatus[] = ["succeeded", "failed", "timeout", "canceled", "abandoned"];
const succeed: OnChild = () => ({});

let books = 0;

/** Creates child executions that exist only in memory. With `after`, they are shared with that earlier run. */
export function createTestChildren({ onChild = succeed, ...parts }: TestChildrenOptions): TestChildren {
	const book = parts.after instanceof TestRunChildren ? parts.after.book : new ChildStore();
	return new TestRunChildren(book, { ...parts, onChild });
}

/** The children of an execution, shared by all of its runs. */
class ChildStore {
	readonly children = new Map<string, TestChild>();
	readonly #ids = new Map<string, string>();
	/** Prefix of child ids, so that children of different executions have different ids. It repeats after 16 executions. */
	readonly #prefix = (++books % 16).toString(16);
	#listeners = new Set<() => void>();

	set(child: TestChild): void {
		this.children.set(child.id, child);
		for (const listener of [...this.#listeners]) listener();
	}

	/** Resolves at the next change or when the signal aborts. */
	changed(signal?: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const tell = () => {
				this.#listeners.delete(tell);
				signal?.removeEventListener("abort", tell);
				resolve();
			};
			this.#listeners.add(tell);
			signal?.addEventListener("abort", tell);
			if (signal?.aborted) tell();
		});
	}

	/** Returns the same id for the same key, as the host does. */
	toId(key: string): string {
		const id = this.#ids.get(key) ?? this.#prefix + (this.#ids.size + 1).toString(16).padStart(23, "0");
		this.#ids.set(key, id);
		return id;
	}

	find(key: string): TestChild | undefined {
		return [...this.children.values()].find((child) => child.key === key);
	}

	end(child: TestChild, { status = "succeeded", result = {} }: ChildEnd): void {
		const current = this.children.get(child.id) ?? child;
		if (current.hasEnded) return;
		this.set({ ...current, status, hasEnded: final.includes(status), result });
	}
}

class TestRunChildren implements TestChildren {
	readonly book: ChildStore;
	readonly #parts: TestRunOptions;
	readonly #prepared = new Map<string, ChildRequest>();

	constructor(book: ChildStore, parts: TestRunOptions) {
		this.book = book;
		this.#parts = parts;
	}

	get started(): readonly TestChild[] {
		return [...this.book.children.values()];
	}

	end(key: string, end: ChildEnd = {}): void {
		const child = this.book.find(key);
		if (child === undefined) throw new Error(`no child "${key}" has been started`);
		this.book.end(child, end);
	}

	async whenOpen(): Promise<TestChild> {
		for (;;) {
			const open = this.started.find(({ hasEnded }) => !hasEnded);
			if (open !== undefined) return open;
			await this.book.changed();
		}
	}

	readonly start = async (request: ChildRequest): Promise<string> => {
		const { id } = await this.prepare(request);
		this.#start(id, request);
		// As on the host, the run may have lost its execution while the child was stored. The run then does not get the id.
		this.#parts.assertHeld();
		return id;
	};

	readonly prepare = async (request: ChildRequest): Promise<PreparedChild> => {
		this.#parts.assertHeld();
		const problem = this.book.find(request.key) === undefined ? this.#parts.onPrepare?.(request) : undefined;
		if (problem !== undefined) throw problem;
		const id = this.book.toId(request.key);
		this.#prepared.set(id, request);
		return { id, key: request.key };
	};

	startPrepared(children: readonly PreparedChild[]): void {
		for (const { id } of children) {
			const request = this.#prepared.get(id);
			if (request === undefined) throw new SvcError("SVC_INVALID", `start: "${id}" is not a child that this run prepared`);
			this.#start(id, request);
		}
	}

	#start(id: string, { key, action, parameters = {}, context = {}, delay, notify, takesUp }: ChildRequest): void {
		if (this.book.children.has(id)) return;
		const child: TestChild = {
			id,
			execution_id: id,
			key,
			action_ref: action,
			liveaction_id: `f${id.slice(1)}`,
			parameters,
			context,
			status: "running",
			hasEnded: false,
			result: null,
			...(delay !== undefined && { delay }),
			...(notify !== undefined && { notify }),
			...(takesUp !== undefined && { takesUp }),
		};
		this.book.set(child);
		const end = this.#parts.onChild(child);
		if (end instanceof Promise) void end.then((how) => how && this.book.end(child, how));
		else if (end !== undefined) this.book.end(child, end);
	}

	readonly find = async (key: string): Promise<Child | undefined> => {
		this.#parts.assertHeld();
		return this.book.find(key);
	};

	readonly list = async (): Promise<readonly Child[]> => {
		this.#parts.assertHeld();
		return this.started;
	};

	readonly ended = async (id: string, { signal = this.#parts.signal }: ChildWait = {}): Promise<Child> => {
		for (;;) {
			const child = this.#get(id);
			if (child.hasEnded) return child;
			signal.throwIfAborted();
			await this.book.changed(signal);
		}
	};

	readonly changes = ({ signal = this.#parts.signal }: ChildWait = {}): AsyncIterable<Child> => this.#changes(signal);

	readonly result = async (id: string): Promise<JsonObject | null> =>
		this.#parts.takenUp?.started.some((child) => child.id === id) ? this.#parts.takenUp.result(id) : this.#get(id).result;

	readonly cancel = async (id: string): Promise<void> => this.book.end(this.#get(id), { status: "canceled" });

	readonly pause = async (id: string): Promise<void> => this.#change(id, "running", "pausing");

	readonly resume = async (id: string): Promise<void> => this.#change(id, "paused", "running");

	async *#changes(signal: AbortSignal): AsyncGenerator<Child> {
		const told = new Map<string, TestChild>();
		while (!signal.aborted) {
			this.#parts.assertHeld();
			const next = this.started.find((child) => told.get(child.id) !== child);
			if (next === undefined) {
				await this.book.changed(signal);
				continue;
			}
			told.set(next.id, next);
			yield next;
		}
	}

	#get(id: string): TestChild {
		this.#parts.assertHeld();
		const child = this.book.children.get(id);
		if (child === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${id}" is not a child of this run`);
		return child;
	}

	/** Changes the status of a child. A child that is `pausing` stays so until the test changes it to `paused`. */
	#change(id: string, from: ExecutionStatus, to: ExecutionStatus): void {
		const child = this.#get(id);
		if (this.#parts.workflows?.includes(child.action_ref) !== true) {
			throw new SvcError("SVC_INVALID", 'status: runner type "mock" does not support pause and resume');
		}
		if (child.status === from) this.book.set({ ...child, status: to });
	}
}
