import {
	type Child,
	type ChildRequest,
	type Clock,
	isSvcError,
	type JsonValue,
	type LastDecision,
	type PreparedChild,
	RunAborted,
	type RunContext,
	type RunResult,
} from "../../../core/contract/index.ts";
import type { Conductor } from "../conductor/conductor.ts";
import type { Step, WorkflowEnd, WorkflowEvent } from "../steps.ts";
import { toChildEvent } from "./child-event.ts";
import { toJournalEntry } from "./entries.ts";

/** What a child is not started for. Anything else is no fault of the workflow. */
const refusals = ["SVC_FORBIDDEN", "SVC_INVALID", "SVC_NOT_FOUND"] as const;

/** What becomes of a workflow, and what is decided with it. */
interface Over {
	readonly end: WorkflowEnd;
	readonly decided?: LastDecision;
}

/** Tells the conductor what happens, and does what it says. */
export class WorkflowRun {
	readonly #context: RunContext;
	readonly #conductor: Conductor;
	readonly #clock: Clock;
	readonly #queue = new EventQueue();
	readonly #alarm: Alarm;
	/** Ends with this run, and not with its signal: what is canceled then is waited for. */
	readonly #end = new AbortController();
	#isLeft = false;

	constructor(context: RunContext, conductor: Conductor, clock: Clock) {
		this.#context = context;
		this.#conductor = conductor;
		this.#clock = clock;
		this.#alarm = new Alarm(
			() => clock.now(),
			() => this.#queue.push({ type: "wake" }),
		);
	}

	/** From `first` to the end, to a pause, or until the service stops. */
	async perform(first: readonly WorkflowEvent[]): Promise<RunResult> {
		this.#queue.pushAll(first);
		this.#listen();
		try {
			for (;;) {
				const events = await this.#queue.take();
				if (this.#isLeft) return { succeeded: false, status: "running", result: {} };
				const over = await this.#react(events);
				if (over !== undefined) return toRunResult(this.#isPassed(over.end) ? { end: { ...over.end, status: "resuming" } } : over);
				this.#alarm.set(this.#conductor.nextWake());
			}
		} finally {
			this.#alarm.set(undefined);
			this.#end.abort();
		}
	}

	/**
	 * True if an open child has gone on and the conductor has not been told yet: the host, which has told of it, wakes the workflow for it no
	 * more. Children whose ends the conductor knows are told again whenever a run begins; going on for these would never come to a pause.
	 */
	#isPassed({ status }: WorkflowEnd): boolean {
		if (status !== "paused") return false;
		const open = new Set(this.#conductor.openChildKeys());
		return this.#queue.holds((event) => event.type === "child" && open.has(event.key) && !["pending", "paused"].includes(event.status));
	}

	#listen(): void {
		const { signal, pausing } = this.#context;
		const once = { once: true, signal: this.#end.signal } as const;
		whenAborted(pausing, once, () => this.#queue.push({ type: "pause" }));
		whenAborted(signal, once, () => this.#aborted(signal.reason));
		void this.#watchChildren();
	}

	#aborted(reason: unknown): void {
		const kind = reason instanceof RunAborted ? reason.kind : "cancel";
		if (kind === "shutdown") this.#isLeft = true;
		this.#queue.push({ type: kind === "timeout" ? "timeout" : "cancel" });
	}

	async #watchChildren(): Promise<void> {
		try {
			for await (const child of this.#context.children.changes({ signal: this.#end.signal })) this.#noteChild(child);
		} catch (error) {
			this.#queue.fail(error);
		}
	}

	#noteChild(child: Child): void {
		const event = toChildEvent(child);
		if (event !== undefined) this.#queue.push(event);
	}

	async #react(events: readonly WorkflowEvent[]): Promise<Over | undefined> {
		const steps = [await this.#conductor.handle(events, this.#clock.now())];
		const prepared: PreparedChild[] = [];
		for (let last = steps[0]; last !== undefined; ) {
			const refused = await this.#prepare(last, prepared);
			last = refused.length === 0 ? undefined : await this.#conductor.handle(refused, this.#clock.now());
			if (last !== undefined) steps.push(last);
		}
		const end = steps.findLast((step) => step.end !== undefined)?.end;
		// What is decided with the end is stored with it: nobody finds a workflow that has decided to be over and is not.
		const isFinal = end !== undefined && end.status !== "paused" && end.status !== "resuming" && prepared.length === 0;
		const decided = toDecision(steps);
		if (!isFinal && decided !== undefined) await this.#context.journal.append(decided.entry, { tasks: decided.tasks, start: prepared });
		for (const step of steps) await this.#carryOut(step);
		return end && { end, ...(isFinal && decided !== undefined && { decided }) };
	}

	/** Have the children of a step looked at: what became of those that cannot be started. */
	async #prepare({ start }: Step, prepared: PreparedChild[]): Promise<readonly WorkflowEvent[]> {
		const refused: WorkflowEvent[] = [];
		for (const request of start) {
			try {
				prepared.push(await this.#context.children.prepare(this.#withNotify(request)));
			} catch (error) {
				if (!refusals.some((code) => isSvcError(error, code))) throw error;
				refused.push({ type: "refused", key: request.key, message: (error as Error).message });
			}
		}
		return refused;
	}

	/** Those who are told of the end of the workflow are told of the ends of the tasks that `notify` names. */
	#withNotify(request: ChildRequest): ChildRequest {
		const { notify, runnerParameters } = this.#context;
		const names = (runnerParameters as { readonly notify?: readonly JsonValue[] | null }).notify ?? [];
		const { task_name: name } = (request.context?.["workflow"] ?? {}) as { readonly task_name?: JsonValue };
		return notify === null || name === undefined || !names.includes(name) ? request : { ...request, notify };
	}

	async #carryOut({ cancel, pause, resume, request, lines }: Step): Promise<void> {
		const { children } = this.#context;
		if (lines.length > 0) await this.#context.emit("other", `${lines.join("\n")}\n`);
		await this.#each(cancel, (id) => children.cancel(id));
		await this.#each(pause, (id) => children.pause(id));
		await this.#each(resume, (id) => children.resume(id));
		if (request !== undefined) await orRefused(this.#context.request(request));
	}

	async #each(keys: readonly string[], ask: (id: string) => Promise<void>): Promise<void> {
		for (const key of keys) {
			const child = await this.#context.children.find(key);
			// One that cannot pause, or has ended meanwhile, is none that anything is left to do about.
			if (child !== undefined && !child.hasEnded) await orRefused(ask(child.id));
		}
	}
}

/** All that several steps have decided; undefined: nothing. */
function toDecision(steps: readonly Step[]): Required<LastDecision> | undefined {
	const [first, ...rest] = steps.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
	return first && { entry: toJournalEntry(first, ...rest), tasks: steps.flatMap(({ tasks }) => tasks) };
}

function toRunResult({ end: { status, result }, decided }: Over): RunResult {
	const ended = { result: { ...result }, ...(decided !== undefined && { decided }) };
	return status === "succeeded" ? { succeeded: true, ...ended } : { succeeded: false, status, ...ended };
}

function whenAborted(signal: AbortSignal, once: { readonly once: true; readonly signal: AbortSignal }, react: () => void): void {
	if (signal.aborted) react();
	else signal.addEventListener("abort", react, once);
}

async function orRefused(asked: Promise<void>): Promise<void> {
	try {
		await asked;
	} catch (error) {
		if (!refusals.some((code) => isSvcError(error, code))) throw error;
	}
}

/** Longest time of a timer; beyond it, it would ring at once. */
const longest = 2_147_483_647;

/** Rings once at the time it was last set to. */
class Alarm {
	readonly #now: () => number;
	readonly #ring: () => void;
	#timer: NodeJS.Timeout | undefined;

	/** @param now microseconds since 1970 */
	constructor(now: () => number, ring: () => void) {
		this.#now = now;
		this.#ring = ring;
	}

	/** Microseconds since 1970; undefined: not at all. */
	set(time: number | undefined): void {
		clearTimeout(this.#timer);
		if (time === undefined) return;
		const milliseconds = Math.ceil((time - this.#now()) / 1_000);
		// Far away it rings too early, and is set again by whoever hears it.
		this.#timer = setTimeout(this.#ring, Math.min(Math.max(0, milliseconds), longest));
	}
}

/** Events that are dealt with in one step. */
const maxTaken = 1_000;

/** What has happened and has not been dealt with yet, from several sources. */
class EventQueue {
	readonly #events: WorkflowEvent[] = [];
	#failure: { readonly error: unknown } | undefined;
	#wake: () => void = () => {};

	push(...events: readonly WorkflowEvent[]): void {
		this.pushAll(events);
	}

	/** For lists of any length: a call may have so many arguments only. */
	pushAll(events: readonly WorkflowEvent[]): void {
		for (const event of events) this.#events.push(event);
		this.#wake();
	}

	/** Nothing more can be heard: whoever takes is told why. */
	fail(error: unknown): void {
		this.#failure ??= { error };
		this.#wake();
	}

	/** Whether there is something of this type that nobody has taken yet. */
	holds(matches: (event: WorkflowEvent) => boolean): boolean {
		return this.#events.some(matches);
	}

	/** Returns the queued events, at most a thousand, so that other requests are served in between; waits for the first one. */
	async take(): Promise<readonly WorkflowEvent[]> {
		while (this.#events.length === 0 && this.#failure === undefined) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
		if (this.#failure !== undefined) throw this.#failure.error;
		return this.#events.splice(0, maxTaken);
	}
}
