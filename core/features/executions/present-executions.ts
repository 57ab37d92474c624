import type { RuleSnapshotEntity } from "../../contract/index.ts";
import { isSelected, type Selection, selectMembers } from "../../http/field-selection.ts";
import { presentRecord, presentRecords, type RecordVisibility } from "../../http/record-visibility.ts";
import type { HttpContext } from "../../http/route.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { ExecutionView } from "../../kernel/executions/executions-api.ts";
import { withVisiblePayloads } from "../triggers/visible-payloads-exports.ts";
import type { ShownCause } from "./embedded-cause-exports.ts";
import { toExecution } from "./records-exports.ts";
import type { ExecutionRouteServices } from "./route-services.ts";

/** The caller, its authorizer, and the engine from which records are read. */
export type PresentationContext = Pick<HttpContext<ExecutionRouteServices>, "engine" | "guard"> & { readonly principal: Principal };

interface Shown {
	readonly presentation: RecordVisibility;
	/** Members to show. Default: all. */
	readonly selection?: Selection | undefined;
	/** True if the record belongs to an event that has just occurred. Default false. */
	readonly isLive?: boolean;
}

/** Returns the records of executions, limited to the parts that the caller may view. */
export async function presentExecutions(
	context: PresentationContext,
	views: readonly ExecutionView[],
	shown: Shown,
): Promise<WireRecord[]> {
	const { presentation, selection } = shown;
	const causes = views.some(isCaused) ? await readShownCauses(context, views, shown) : undefined;
	return presentRecords(views, (view) => selectMembers(toExecution(view, presentation, causes?.get(view.entity.id)), selection));
}

/**
 * Returns the record of one execution, limited to the parts that the caller may view. If no rule started the execution, nothing is read;
 * then the result is a promise only if the function must first yield to the event loop.
 */
export function presentExecution(context: PresentationContext, view: ExecutionView, shown: Shown): Promise<WireRecord> | WireRecord {
	const { presentation, selection } = shown;
	if (isCaused(view)) return presentExecutions(context, [view], shown).then(([record]) => record as WireRecord);
	return presentRecord(() => selectMembers(toExecution(view, presentation), selection));
}

function isCaused({ entity }: ExecutionView): boolean {
	return typeof entity.trigger_instance_id === "string";
}

/** Returns the rules and trigger instances that started executions, by execution id. Reads only the parts that are selected. */
async function readShownCauses(
	context: PresentationContext,
	views: readonly ExecutionView[],
	{ presentation, selection, isLive = false }: Shown,
): Promise<ReadonlyMap<string, ShownCause>> {
	const snapshots = ["rule", "trigger", "trigger_type"].some((member) => isSelected(selection, member));
	const instances = isSelected(selection, "trigger_instance");
	if (!snapshots && !instances) return new Map();
	const entities = views.map(({ entity }) => entity);
	const causes = await context.engine.executions.triggeringRules(entities, { snapshots, instances, isLive });
	const events = [
		...new Map([...causes.values()].flatMap(({ instance }) => (instance ? [[instance.id, instance] as const] : []))).values(),
	];
	// Show the instances in the state they had while the rules acted on them.
	const then = events.map((event) => ({ ...event, status: "processing" as const, failure_reason: null }));
	const shown = events.length === 0 ? [] : await withVisiblePayloads(context, then, presentation);
	const byId = new Map(events.map(({ id }, index) => [id, shown[index]]));
	const toCause = ({ snapshot, instance }: { snapshot: RuleSnapshotEntity | undefined; instance: { id: string } | undefined }) => ({
		snapshot,
		instance: instance && byId.get(instance.id),
		visible: toVisible(context, snapshot),
	});
	return new Map([...causes].map(([id, cause]) => [id, toCause(cause)]));
}

/** Returns the parts that are shown in full. They require the view permission of the rule, the trigger or the trigger type itself. */
function toVisible({ guard, principal }: PresentationContext, snapshot: RuleSnapshotEntity | undefined): ShownCause["visible"] {
	const allows = (kind: "rule" | "trigger" | "trigger_type", named: { readonly pack: string; readonly name: string } | null | undefined) =>
		principal.isAdmin ||
		(named != null && guard.allows(principal, `${kind}_view`, { uid: `${kind}:${named.pack}:${named.name}`, pack: named.pack }));
	return {
		rule: allows("rule", snapshot?.rule),
		trigger: allows("trigger", snapshot?.trigger),
		trigger_type: allows("trigger_type", snapshot?.trigger_type),
	};
}
