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
import type { Step, WorkflowEnd, WorkflowEvent } from "../conductor-protocol.ts";
import { toJournalEntry } from "./batch-entries.ts";
import { toChildEvent } from "./child-event.ts";

/** Codes of errors with which a child is refused, so that its task fails. Errors with other codes are not caused by the workflow. */
const refusalCodes = ["SVC_FORBIDDEN", "SVC_INVALID", "SVC_NOT_FOUND"] as const;

/** End of a run, with the last decision if it must be stored together with the end. */
interface RunEnd {
	readonly end: WorkflowEnd;
	readonly decided?: LastDecision;
}

/** Passes events to the conductor and carries out its steps. */
export class WorkflowRun {
	readonly #context: RunContext;
	readonly #conductor: Conductor;
	readonly #clock: Clock;
	readonly #queue = new EventQueue();
	readonly #wakeTimer: WakeTimer;
	/**
	 * Aborts when this run ends. It does not follow the signal of the run, because canceled children are awaited after that signal has
	 * aborted.
	 */
	readonly #runAbort = new AbortController();
	#isServiceStopping = false;

	constructor(context: RunContext, conductor: Conductor, clock: Clock) {
		this.#context = context;
		this.#conductor = conductor;
		this.#clock = clock;
		this.#wakeTimer = new WakeTimer(
			() => clock.now(),
			() => this.#queue.push({ type: "wake" }),
		);
	}

	/** Runs the workflow from its first events to its end or to a pause, or until the service stops. */
	async perform(first: readonly WorkflowEvent[]): Promise<RunResult> {
		this.#queue.pushAll(first);
		this.#listen();
		try {
			for (;;) {
				const events = await this.#queue.take();
				if (this.#isServiceStopping) return { succeeded: false, status: "running", result: {} };
				const runEnd = await this.#handleEvents(events);
				if (runEnd !== undefined)
					return toRunResult(this.#isPauseOutdated(runEnd.end) ? { end: { ...runEnd.end, status: "resuming" } } : runEnd);
				this.#wakeTimer.set(this.#conductor.nextWake());
			}
		} finally {
			this.#wakeTimer.set(undefined);
			this.#runAbort.abort();
		}
	}

	/**
	 * Returns true if a pause is outdated: an open child is active again, but the conductor has not handled that event. The host has
	 * already announced the change and does not wake the workflow for it again. Children whose end the conductor has recorded are reported
	 * again whenever a run begins. They do not count, because the workflow would then never pause.
	 */
	#isPauseOutdated({ status }: WorkflowEnd): boolean {
		if (status !== "paused") return false;
		const openKeys = new Set(this.#conductor.openChildKeys());
		return this.#queue.holds((event) => event.type === "child" && openKeys.has(event.key) && !["pending", "paused"].includes(event.status));
	}

	#listen(): void {
		const { signal, pausing } = this.#context;
		const once = { once: true, signal: this.#runAbort.signal } as const;
		whenAborted(pausing, once, () => this.#queue.push({ type: "pause" }));
		whenAborted(signal, once, () => this.#onAbort(signal.reason));
		void this.#watchChildren();
	}

	#onAbort(reason: unknown): void {
		const kind = reason instanceof RunAborted ? reason.kind : "cancel";
		if (kind === "shutdown") this.#isServiceStopping = true;
		this.#queue.push({ type: kind === "timeout" ? "timeout" : "cancel" });
	}

	async #watchChildren(): Promise<void> {
		try {
			for await (const child of this.#context.children.changes({ signal: this.#runAbort.signal })) this.#noteChild(child);
		} catch (error) {
			this.#queue.fail(error);
		}
	}

	#noteChild(child: Child): void {
		const event = toChildEvent(child);
		if (event !== undefined) this.#queue.push(event);
	}

	async #handleEvents(events: readonly WorkflowEvent[]): Promise<RunEnd | undefined> {
		const steps = [await this.#conductor.handle(events, this.#clock.now())];
		const prepared: PreparedChild[] = [];
		for (let currentStep = steps[0]; currentStep !== undefined; ) {
			const refused = await this.#prepareChildren(currentStep, prepared);
			currentStep = refused.length === 0 ? undefined : await this.#conductor.handle(refused, this.#clock.now());
			if (currentStep !== undefined) steps.push(currentStep);
		}
		const end = steps.findLast((step) => step.end !== undefined)?.end;
		// The last decision is stored together with the end. Otherwise a crash could leave a workflow that is decided to be over but has no
		// end.
		const isFinal = end !== undefined && end.status !== "paused" && end.status !== "resuming" && prepared.length === 0;
		const decided = toDecision(steps);
		if (!isFinal && decided !== undefined) await this.#context.journal.append(decided.entry, { tasks: decided.tasks, start: prepared });
		for (const step of steps) await this.#carryOut(step);
		return end && { end, ...(isFinal && decided !== undefined && { decided }) };
	}

	/** Prepares the children of a step. Returns events for those that are refused. */
	async #prepareChildren({ start }: Step, prepared: PreparedChild[]): Promise<readonly WorkflowEvent[]> {
		const refused: WorkflowEvent[] = [];
		for (const request of start) {
			try {
				prepared.push(await this.#context.children.prepare(this.#withNotify(request)));
			} catch (error) {
				if (!refusalCodes.some((code) => isSvcError(error, code))) throw error;
				refused.push({ type: "refused", key: request.key, message: (error as Error).message });
			}
		}
		return refused;
	}

	/** Adds the recipients of the workflow's notification to the children of tasks that `notify` names. */
	#withNotify(request: ChildRequest): ChildRequest {
		const { notify, runnerParameters } = this.#context;
		const names = (runnerParameters as { readonly notify?: readonly JsonValue[] | null }).notify ?? [];
		const { task_name: name } = (request.context?.["workflow"] ?? {}) as { readonly task_name?: JsonValue };
		return notify === null || name === undefined || !names.includes(name) ? request : { ...request, notify };
	}

	async #carryOut({ cancel, pause, resume, request, lines }: Step): Promise<void> {
		const { children } = this.#context;
		if (lines.length > 0) await this.#context.emit("other", `${lines.join("\n")}\n`);
		await this.#forEachOpenChild(cancel, (id) => children.cancel(id));
		await this.#forEachOpenChild(pause, (id) => children.pause(id));
		await this.#forEachOpenChild(resume, (id) => children.resume(id));
		if (request !== undefined) await ignoreRefusal(this.#context.request(request));
	}

	async #forEachOpenChild(keys: readonly string[], ask: (id: string) => Promise<void>): Promise<void> {
		for (const key of keys) {
			const child = await this.#context.children.find(key);
			// A child that has ended needs no request, and a child may refuse one, for example if it cannot pause.
			if (child !== undefined && !child.hasEnded) await ignoreRefusal(ask(child.id));
		}
	}
}

/** Returns the decisions of several steps as one; undefined if nothing was decided. */
function toDecision(steps: readonly Step[]): Required<LastDecision> | undefined {
	const [first, ...rest] = steps.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
	return first && { entry: toJournalEntry(first, ...rest), tasks: steps.flatMap(({ tasks }) => tasks) };
}

function toRunResult({ end: { status, result }, decided }: RunEnd): RunResult {
	const ended = { result: { ...result }, ...(decided !== undefined && { decided }) };
	return status === "succeeded" ? { succeeded: true, ...ended } : { succeeded: false, status, ...ended };
}

function whenAborted(signal: AbortSignal, once: { readonly once: true; readonly signal: AbortSignal }, react: () => void): void {
	if (signal.aborted) react();
	else signal.addEventListener("abort", react, once);
}

async function ignoreRefusal(request: Promise<void>): Promise<void> {
	try {
		await request;
	} catch (error) {
		if (!refusalCodes.some((code) => isSvcError(error, code))) throw error;
	}
}

/** Maximum delay of a Node timer in milliseconds; a longer one fires at once. */
const maxTimerMs = 2_147_483_647;

/** Timer that fires once, at the time to which it was last set. */
class WakeTimer {
	readonly #now: () => number;
	readonly #onTime: () => void;
	#timer: NodeJS.Timeout | undefined;

	/** @param now Returns the current time, in microseconds since 1970. */
	constructor(now: () => number, onTime: () => void) {
		this.#now = now;
		this.#onTime = onTime;
	}

	/** Sets the time in microseconds since 1970; undefined stops the timer. */
	set(time: number | undefined): void {
		clearTimeout(this.#timer);
		if (time === undefined) return;
		const milliseconds = Math.ceil((time - this.#now()) / 1_000);
		// A time beyond the maximum delay makes the timer fire too early; the caller then sets it again.
		this.#timer = setTimeout(this.#onTime, Math.min(Math.max(0, milliseconds), maxTimerMs));
	}
}

/** Maximum number of events that are handled in one step. */
const maxEventsPerStep = 1_000;

/** Events from several sources that have not been handled yet. */
class EventQueue {
	readonly #events: WorkflowEvent[] = [];
	#failure: { readonly error: unknown } | undefined;
	#wake: () => void = () => {};

	push(...events: readonly WorkflowEvent[]): void {
		this.pushAll(events);
	}

	/** Adds a list of any length; a call with spread arguments is limited in their number. */
	pushAll(events: readonly WorkflowEvent[]): void {
		for (const event of events) this.#events.push(event);
		this.#wake();
	}

	/** Makes every later `take` throw, because no more events can arrive. */
	fail(error: unknown): void {
		this.#failure ??= { error };
		this.#wake();
	}

	/** Returns true if the queue has an event that matches. */
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
		return this.#events.splice(0, maxEventsPerStep);
	}
}
