import type { ActionSnapshotEntity, ExecutionEntity, JsonObject } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { cacheJsonText } from "../../http/json-cache.ts";
import type { RecordVisibility } from "../../http/record-visibility.ts";
import { copyWithoutEmpty, copyWithoutNull, type WireRecord } from "../../http/wire-record.ts";
import type { ExecutionView, OutputChunk } from "../../kernel/executions/executions-api.ts";
import { toMaskedText } from "../../kernel/output/stored-chunk-queries.ts";
import { maskParametersWith } from "../../secrets/parameter-masking.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { maskExecutionResult } from "../../secrets/result-masking.ts";
import { toAction, toRunnerType } from "../actions/records-exports.ts";
import { type ShownCause, toEmbeddedCause } from "./embedded-cause-exports.ts";

/** API records of the action and runner type of a snapshot, unmasked and masked. Cached: snapshots are few and the records large. */
type WireSnapshot = Readonly<Record<"open" | "masked", { readonly action: WireRecord; readonly runner: WireRecord }>>;

const ownContext: ReadonlySet<string> = new Set([
	"user",
	"pack",
	"rule",
	"trigger_instance",
	"trace_context",
	"parent",
	"re-run",
	"policies",
	"workflow_execution",
]);

const wireSnapshots = new WeakMap<ActionSnapshotEntity, WireSnapshot>();

/**
 * Returns the API record of an execution. Omits members that are empty, zero, false or null, and members that the view was read without.
 * If `cause` is undefined, the rule and trigger that started the execution are shown by name.
 */
export function toExecution(view: ExecutionView, presentation: RecordVisibility, cause?: ShownCause): WireRecord {
	const { entity } = view;
	const { webUrl, masked } = presentation;
	const isGivenShown = showsGiven(view, presentation);
	const snapshot = toWireSnapshot(view.snapshot);
	const shown = masked ? snapshot.masked : snapshot.open;
	const parameters = isGivenShown ? toParameters(view, masked) : undefined;
	const secrets = masked ? view.secrets : Redactor.none;
	const { rule, trigger, trigger_type, trigger_instance } = toEmbeddedCause(view, cause, presentation);
	return copyWithoutEmpty({
		id: entity.id,
		status: entity.status,
		start_timestamp: entity.start_timestamp,
		end_timestamp: entity.end_timestamp,
		elapsed_seconds: entity.elapsed_seconds,
		log: maskExecutionLog(entity.log, secrets),
		parameters,
		result: toResult(view, presentation),
		result_size: entity.result_size,
		context: hideInContext(entity.context, secrets),
		action: shown.action,
		runner: shown.runner,
		liveaction: isGivenShown ? toEmbeddedLiveAction(view, parameters, secrets) : toNamedLiveAction(view),
		web_url: `${webUrl}/#/history/${entity.id}/general`,
		parent: entity.parent_id,
		children: view.children,
		rule,
		trigger,
		trigger_type,
		trigger_instance,
		delay: entity.delay,
	});
}

/** Returns the live action of an execution as the general stream sends it. */
export function toLiveAction(view: ExecutionView, presentation: RecordVisibility): WireRecord {
	const { entity } = view;
	const secrets = presentation.masked ? view.secrets : Redactor.none;
	return copyWithoutNull({
		...(showsGiven(view, presentation)
			? toEmbeddedLiveAction(view, toParameters(view, presentation.masked), secrets)
			: toNamedLiveAction(view)),
		status: entity.status,
		start_timestamp: entity.start_timestamp,
		end_timestamp: entity.end_timestamp,
		context: hideInContext(entity.context, secrets),
		result: toResult(view, presentation) ?? {},
		delay: entity.delay,
	});
}

/** Returns the API record of an output chunk. It must not have a member `status`: clients distinguish it from an execution by that. */
export function toChunk(chunk: OutputChunk, { masked }: Pick<RecordVisibility, "masked">): WireRecord {
	return toChunkWith(chunk, masked ? toMaskedText(chunk) : chunk.data);
}

/** Returns the API record of an output chunk with `data` as its text. */
export function toChunkWith(chunk: Omit<OutputChunk, "data">, data: string): WireRecord {
	const { id, execution_id, action_ref, runner_ref, output_type, timestamp } = chunk;
	return { id, execution_id, action_ref, runner_ref, output_type, data, timestamp };
}

function toEmbeddedLiveAction({ entity, isWorkflow }: ExecutionView, parameters: JsonObject | undefined, secrets: Redactor): WireRecord {
	return copyWithoutNull({
		id: entity.liveaction_id,
		action: entity.action_ref,
		action_is_workflow: isWorkflow,
		parameters: parameters ?? {},
		callback: secrets.redactJson(entity.callback ?? {}),
		runner_info: entity.runner_info ?? {},
		notify: secrets.redactJson(entity.notify),
	});
}

/** Returns the live action without the values given by its caller and without the runner's information on the run. */
function toNamedLiveAction({ entity, isWorkflow }: ExecutionView): WireRecord {
	const { liveaction_id: id, action_ref: action } = entity;
	return { id, action, action_is_workflow: isWorkflow, parameters: {}, callback: {}, runner_info: {} };
}

/**
 * Returns true if parameters, callback and notifications may be shown. Like results, they are withheld from users who may not view the
 * execution.
 */
function showsGiven({ entity }: ExecutionView, presentation: RecordVisibility): boolean {
	return presentation.showsGiven === true || presentation.mayView(entity.action_ref);
}

function toParameters({ entity, snapshot, secrets }: ExecutionView, masked: boolean): JsonObject | undefined {
	const parameters: JsonObject | undefined = entity.parameters;
	return masked && parameters !== undefined ? maskParametersWith(parameters, snapshot, secrets) : parameters;
}

/** Masks secrets in the reasons of a log. A reason is free text, so a user may have written a secret into it. */
function maskExecutionLog(log: ExecutionEntity["log"] | undefined, secrets: Redactor): ExecutionEntity["log"] | undefined {
	if (log === undefined || !log.some(({ by }) => by !== undefined && by.reason !== null)) return log;
	return log.map((entry) =>
		entry.by?.reason == null ? entry : { ...entry, by: { ...entry.by, reason: secrets.redactText(entry.by.reason) } },
	);
}

/** Masks secrets in a context. If the secrets are unknown, only the members that the service itself writes stay visible. */
function hideInContext(context: JsonObject | undefined, secrets: Redactor): JsonObject | undefined {
	if (context === undefined || !secrets.isUnknown) return secrets.redactJson(context);
	return Object.fromEntries(Object.entries(context).map(([name, value]) => [name, ownContext.has(name) ? value : secretMask]));
}

function toResult({ entity, snapshot, secrets }: ExecutionView, { masked, mayView }: RecordVisibility): JsonObject | null | undefined {
	if (!mayView(entity.action_ref)) return undefined;
	const result: JsonObject | null | undefined = entity.result;
	if (!masked || !result) return result;
	return secrets.redactJson(maskExecutionResult(result, snapshot));
}

function toWireSnapshot(snapshot: ActionSnapshotEntity): WireSnapshot {
	let wire = wireSnapshots.get(snapshot);
	if (wire === undefined) {
		const { action, runner } = snapshot;
		const show = (masked: boolean) => ({
			action: cacheJsonText(toAction(action, runner.runner_parameters, { masked })),
			runner: cacheJsonText(toRunnerType(runner, { masked }, action.parameters)),
		});
		wire = { open: show(false), masked: show(true) };
		wireSnapshots.set(snapshot, wire);
	}
	return wire;
}
