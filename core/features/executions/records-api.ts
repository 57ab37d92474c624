import type { ActionEntity, ExecutionEntity, JsonObject, RunnerTypeEntity, SnapshotEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { cacheJsonText } from "../../http/json-cache.ts";
import type { Presentation } from "../../http/secret-presentation.ts";
import { copyWithoutEmpty, copyWithoutNull, type WireRecord } from "../../http/wire-record.ts";
import type { ExecutionView, OutputChunk } from "../../kernel/executions/executions-api.ts";
import { toMaskedText } from "../../kernel/output/output-reader.ts";
import { maskParametersWith } from "../../secrets/parameter-masking.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { maskExecutionResult } from "../../secrets/result-masking.ts";
import { toAction, toRunnerType } from "../actions/records-api.ts";
import { type ShownCause, toEmbeddedCause } from "./embedded-cause-api.ts";

/** Action and runner type of an execution, in both forms. Made once for each snapshot: there are few, and they are large. */
interface WireSnapshot {
	readonly action: ActionEntity;
	readonly runner: RunnerTypeEntity;
	readonly open: { readonly action: WireRecord; readonly runner: WireRecord };
	readonly masked: { readonly action: WireRecord; readonly runner: WireRecord };
}

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

const wireSnapshots = new WeakMap<SnapshotEntity, WireSnapshot>();

/**
 * An execution. Members that are empty, zero, false or null are left out, as are those the view was read without. Without its cause,
 * what a rule started it from is shown by name.
 */
export function toExecution(view: ExecutionView, presentation: Presentation, cause?: ShownCause): WireRecord {
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
		log: hideInLog(entity.log, secrets),
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

/** The live action of an execution, as the general stream shows it. */
export function toLiveAction(view: ExecutionView, presentation: Presentation): WireRecord {
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

/** A chunk of output. It has no member `status`: clients tell it from an execution by that. */
export function toChunk(chunk: OutputChunk, { masked }: Pick<Presentation, "masked">): WireRecord {
	return toChunkWith(chunk, masked ? toMaskedText(chunk) : chunk.data);
}

/** The same with another text. */
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

/** The live action without what its caller gave and what its runner said of the run. */
function toNamedLiveAction({ entity, isWorkflow }: ExecutionView): WireRecord {
	const { liveaction_id: id, action_ref: action } = entity;
	return { id, action, action_is_workflow: isWorkflow, parameters: {}, callback: {}, runner_info: {} };
}

/** Returns true if parameters, callback and notifications may be shown. Like results, they are withheld from users who may not view the execution. */
function showsGiven({ entity }: ExecutionView, presentation: Presentation): boolean {
	return presentation.showsGiven === true || presentation.mayView(entity.action_ref);
}

function toParameters({ entity, snapshot, secrets }: ExecutionView, masked: boolean): JsonObject | undefined {
	const parameters: JsonObject | undefined = entity.parameters;
	return masked && parameters !== undefined ? maskParametersWith(parameters, snapshot, secrets) : parameters;
}

/** A reason is a text of a user, who may have written anything into it. */
function hideInLog(log: ExecutionEntity["log"] | undefined, secrets: Redactor): ExecutionEntity["log"] | undefined {
	if (log === undefined || !log.some(({ by }) => by !== undefined && by.reason !== null)) return log;
	return log.map((entry) =>
		entry.by?.reason == null ? entry : { ...entry, by: { ...entry.by, reason: secrets.redactText(entry.by.reason) } },
	);
}

/** What the service itself writes into a context stays where it is not known what is secret. */
function hideInContext(context: JsonObject | undefined, secrets: Redactor): JsonObject | undefined {
	if (context === undefined || !secrets.isUnknown) return secrets.redactJson(context);
	return Object.fromEntries(Object.entries(context).map(([name, value]) => [name, ownContext.has(name) ? value : secretMask]));
}

function toResult({ entity, snapshot, secrets }: ExecutionView, { masked, mayView }: Presentation): JsonObject | null | undefined {
	if (!mayView(entity.action_ref)) return undefined;
	const result: JsonObject | null | undefined = entity.result;
	if (!masked || !result) return result;
	return secrets.redactJson(maskExecutionResult(result, snapshot));
}

function toWireSnapshot(snapshot: SnapshotEntity): WireSnapshot {
	let wire = wireSnapshots.get(snapshot);
	if (wire === undefined) {
		const { action, runner } = snapshot;
		const show = (masked: boolean) => ({
			action: cacheJsonText(toAction(action, runner.runner_parameters, { masked })),
			runner: cacheJsonText(toRunnerType(runner, { masked }, action.parameters)),
		});
		wire = { action, runner, open: show(false), masked: show(true) };
		wireSnapshots.set(snapshot, wire);
	}
	return wire;
}
