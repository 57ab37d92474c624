import { type ExecutionEntity, isJsonObject, type JsonObject, type PolicyEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { ActionCatalog } from "../../kernel/executions/action-catalog.ts";
import { canBeReplaced, draftReplacement } from "../../kernel/runs/children/replacement.ts";
import type { PolicyIndex } from "./policy-index.ts";

/** Types whose policies say what follows an execution that did not succeed. */
const retryTypes = ["action.retry", "action.crash"] as const;

export interface RetriesOptions extends Uses<"storage" | "clock" | "logger"> {
	readonly catalog: Pick<ActionCatalog, "resolve">;
	readonly index: Pick<PolicyIndex, "has">;
	readonly queueOf: (actionRef: string) => string | null;
}

/** Runs actions again whose policies ask for it. */
export interface Retries {
	/**
	 * The execution that follows one which has come to its end; undefined: none. To be stored in the write of that end, so that each
	 * end is followed once, whatever happens to the process.
	 */
	draft(ended: ExecutionEntity): Promise<ExecutionEntity | undefined>;
}

/** A policy that asks for another run, and the name its count goes by in the context. */
interface Cause {
	readonly policy: PolicyEntity;
	readonly kind: "retry" | "crash";
}

export function createRetries(parts: RetriesOptions): Retries {
	const { storage, catalog, index } = parts;

	async function findCause({ action_ref, status }: ExecutionEntity): Promise<Cause | undefined> {
		const where = { resource_ref: action_ref, policy_type: { in: retryTypes }, enabled: true };
		const policies = await storage.find("policy", { where });
		const retry = policies.find(({ policy_type }) => policy_type === "action.retry");
		const crash = policies.find(({ policy_type }) => policy_type === "action.crash");
		if (retry !== undefined && isRetriedOn(retry, status)) return { policy: retry, kind: "retry" };
		if (crash?.parameters["action"] === "retry" && status === "abandoned") return { policy: crash, kind: "crash" };
		return undefined;
	}

	/** Whether the action may be run at all, as when somebody asks for it. */
	async function isRunnable(actionRef: string): Promise<boolean> {
		return (await catalog.resolve(actionRef))?.action.enabled === true;
	}

	return {
		async draft(ended) {
			if (!mayFollow(ended) || !index.has(ended.action_ref, retryTypes)) return undefined;
			const cause = await findCause(ended);
			if (cause === undefined) return undefined;
			const count = countOf(ended, cause.kind);
			if (count >= Number(cause.policy.parameters["max_retry_count"]) || !(await isRunnable(ended.action_ref))) return undefined;
			parts.logger.info("execution is run again", { execution_id: ended.id, policy: cause.policy.ref, retry_count: count + 1 });
			return toNext(ended, cause, parts);
		},
	};
}

/**
 * Not what was never to run, as its parameters could not be rendered; nor what somebody asked for over the API as a part of something
 * larger: whoever did so has been told of the failure, and goes their own way.
 */
function mayFollow(ended: ExecutionEntity): boolean {
	const { status, log } = ended;
	return ["failed", "timeout", "abandoned"].includes(status) && log.some((entry) => entry.status === "scheduled") && canBeReplaced(ended);
}

function isRetriedOn({ parameters }: PolicyEntity, status: ExecutionEntity["status"]): boolean {
	return status === (parameters["retry_on"] === "timeout" ? "timeout" : "failed");
}

/** How often it has been run again already. Contexts may come from outside. */
function countOf({ context }: ExecutionEntity, kind: Cause["kind"]): number {
	const { policies } = context;
	const applied = isJsonObject(policies) ? policies[kind] : undefined;
	const count = isJsonObject(applied) ? applied["retry_count"] : undefined;
	return typeof count === "number" && count > 0 ? count : 0;
}

/** A new execution of the same with the same parameters, secrets included. */
function toNext(ended: ExecutionEntity, { policy, kind }: Cause, { clock, queueOf }: RetriesOptions): ExecutionEntity {
	const delay = Math.round(Number(policy.parameters["delay"] ?? 0) * 1_000);
	const applied: JsonObject = {
		applied_policy: policy.ref,
		retry_count: countOf(ended, kind) + 1,
		retried_liveaction_id: ended.liveaction_id,
	};
	const earlier = isJsonObject(ended.context["policies"]) ? ended.context["policies"] : {};
	return draftReplacement(clock, ended, {
		context: { ...ended.context, policies: { ...earlier, [kind]: applied } },
		delay: delay === 0 ? null : delay,
		queue: queueOf(ended.action_ref),
	});
}
