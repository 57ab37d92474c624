import type { EventData, ExecutionEntity, Instrument } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { eventNames } from "../../kernel/executions/execution-events.ts";
import { hasEndedBeforeStart, isCompleted } from "../../kernel/executions/status.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { PublishListener, Tracing } from "../../kernel/telemetry/telemetry-hub.ts";
import { formatTraceparent } from "../../lib/traceparent.ts";
import { draftEnforcementSpan, draftExecutionSpan, draftInstanceSpan, type SpanDraft, toExecutionSpanId } from "./span-drafts.ts";
import { type TraceContext, TraceContextCache } from "./trace-context-cache.ts";

export type TracerDependencies = Uses<"storage" | "clock" | "logger"> & Pick<Kernel, "hub">;

/** Maximum number of spans that wait until their traces are read from the storage. Further spans are dropped and counted. */
const maxWaiting = 5_000;

/**
 * Records a span for each execution, event and rule enforcement when it ends, on the node that ended it. Span ids are derived from the
 * records, so that parents and children match even if different nodes record them.
 */
export class Tracer implements PublishListener, Tracing {
	readonly #parts: TracerDependencies;
	readonly #contexts: TraceContextCache;
	readonly #told: Instrument;
	readonly #dropped: Instrument;
	#waiting: SpanDraft[] = [];
	#isReading = false;

	constructor(parts: TracerDependencies) {
		this.#parts = parts;
		this.#contexts = new TraceContextCache(parts.storage, (traceId) => parts.hub.isSampled(traceId));
		this.#told = parts.hub.counter({ name: "svc_spans_total", help: "Spans that were created." });
		this.#dropped = parts.hub.counter({
			name: "svc_spans_unplaced_total",
			help: "Spans that were dropped because their traces could not be read.",
		});
	}

	/** Subscribes to the telemetry hub. */
	start(): void {
		const { hub, clock } = this.#parts;
		hub.onStored("trace", (traces) => {
			for (const trace of traces) this.#contexts.learn(trace);
		});
		hub.onStored("execution", (stored) => {
			for (const execution of stored) if (hasEndedBeforeStart(execution)) this.#tellIfEnded(execution);
		});
		hub.onStored("rule_enforcement", (stored) => {
			for (const enforcement of stored) this.#tell(draftEnforcementSpan(enforcement));
		});
		hub.onStored("trigger_instance", (stored) => {
			for (const instance of stored) if (instance.status === "processed") this.#tell(draftInstanceSpan(instance, clock.now()));
		});
		hub.onProcessed((instance) => this.#tell(draftInstanceSpan(instance, clock.now())));
		hub.onPublished(this);
		hub.setTracing(this);
	}

	onPublished(name: string, data: EventData): void {
		if (name === eventNames.executionUpdate) this.#tellIfEnded(data["entity"] as ExecutionEntity);
	}

	#tellIfEnded(execution: ExecutionEntity): void {
		// Do not create a span that will not be recorded because its trace is not sampled.
		if (!isCompleted(execution.status) || this.#contexts.known(execution.trace_id)?.isSampled === false) return;
		this.#tell(draftExecutionSpan(execution));
	}

	async traceparentOf({ id, trace_id }: Pick<ExecutionEntity, "id" | "trace_id">): Promise<string> {
		// An unavailable storage must not prevent the run. Its trace is then treated as one that began in this service.
		const context = this.#contexts.known(trace_id) ?? (await this.#contexts.read([trace_id]).catch(() => undefined))?.get(trace_id);
		const { traceId, isSampled } = context ?? this.#contexts.learn({ id: trace_id, traceparent: null });
		return formatTraceparent({ traceId, spanId: toExecutionSpanId(id), isSampled });
	}

	#tell(draft: SpanDraft): void {
		const context = draft.cause === undefined ? this.#contexts.known(draft.trace) : undefined;
		if (context !== undefined) return this.#place(draft, draft.parent, context);
		if (this.#waiting.length >= maxWaiting) return this.#dropped.record(1);
		this.#waiting.push(draft);
		if (!this.#isReading) void this.#read();
	}

	/** Reads the traces of all waiting spans together. Spans that arrive while it reads form the next batch. */
	async #read(): Promise<void> {
		this.#isReading = true;
		while (this.#waiting.length > 0) {
			const drafts = this.#waiting;
			this.#waiting = [];
			try {
				await this.#placeAll(drafts);
			} catch (error) {
				this.#dropped.record(drafts.length);
				this.#parts.logger.debug("spans were dropped because their traces could not be read", { spans: drafts.length, error });
			}
		}
		this.#isReading = false;
	}

	async #placeAll(drafts: readonly SpanDraft[]): Promise<void> {
		const contexts = await this.#contexts.read(drafts.map(({ trace }) => trace));
		const ids = drafts.flatMap(({ cause }) => cause ?? []);
		const found = ids.length === 0 ? [] : await this.#parts.storage.find("execution", { where: { id: { in: ids } }, fields: ["trace_id"] });
		const traces = new Map(found.map(({ id, trace_id }) => [id, trace_id]));
		for (const draft of drafts) {
			const isCaused = draft.cause !== undefined && traces.get(draft.cause) === draft.trace;
			const context = contexts.get(draft.trace);
			if (context !== undefined) this.#place(draft, isCaused ? toExecutionSpanId(draft.cause) : draft.parent, context);
		}
	}

	#place(draft: SpanDraft, parent: string | undefined, { traceId: trace_id, remote, isSampled }: TraceContext): void {
		if (!isSampled) return;
		const { span_id, name, start, end, attributes, failure } = draft;
		this.#told.record(1);
		const parent_span_id = parent ?? remote?.spanId;
		const is_parent_remote = parent === undefined && remote !== undefined;
		this.#parts.hub.recordSpan({ trace_id, span_id, parent_span_id, is_parent_remote, name, start, end, attributes, failure });
	}
}
