import { type ExecutionEntity, isJsonObject, type JsonObject, type PolicyEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { draftReplacement, mayHaveReplacement } from "../../kernel/runs/children/replacement.ts";
import type { PolicyIndex } from "./policy-index.ts";

/** Types of policies that determine whether an execution that did not succeed is retried. */
const retryTypes = ["action.retry", "action.crash"] as const;

export interface RetriesDependencies extends Uses<"storage" | "clock" | "logger">, Pick<Kernel, "catalog"> {
	readonly index: Pick<PolicyIndex, "has">;
	readonly queueOf: (actionRef: string) => string | null;
}

/** Policy that requires a retry, and the member of the context that contains its retry count. */
interface Cause {
	readonly policy: PolicyEntity;
	readonly kind: "retry" | "crash";
}

/** Creates replacement executions for actions whose policies require a retry. */
export function createRetries(parts: RetriesDependencies) {
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

	/** Returns true if the action exists and is enabled, which every request for an execution requires. */
	async function isRunnable(actionRef: string): Promise<boolean> {
		return (await catalog.resolve(actionRef))?.action.enabled === true;
	}

	return {
		/**
		 * Returns the replacement of an execution that has ended; undefined if there is none. It must be stored in the write that ends the
		 * execution. Otherwise a crash of the process could omit or repeat the retry.
		 */
		async draft(ended: ExecutionEntity): Promise<ExecutionEntity | undefined> {
			if (!mayFollow(ended) || !index.has(ended.action_ref, retryTypes)) return undefined;
			const cause = await findCause(ended);
			if (cause === undefined) return undefined;
			const count = countOf(ended, cause.kind);
			if (count >= Number(cause.policy.parameters["max_retry_count"]) || !(await isRunnable(ended.action_ref))) return undefined;
			parts.logger.info("execution is retried", { execution_id: ended.id, policy: cause.policy.ref, retry_count: count + 1 });
			return toNext(ended, cause, parts);
		},
	};
}

/**
 * Returns true if the execution may be retried. Executions that were never scheduled, because their parameters could not be rendered, are
 * not retried. Neither are children that a client created over the API, because no run waits for their replacement.
 */
function mayFollow(ended: ExecutionEntity): boolean {
	const { status, log } = ended;
	return (
		["failed", "timeout", "abandoned"].includes(status) && log.some((entry) => entry.status === "scheduled") && mayHaveReplacement(ended)
	);
}

function isRetriedOn({ parameters }: PolicyEntity, status: ExecutionEntity["status"]): boolean {
	return status === (parameters["retry_on"] === "timeout" ? "timeout" : "failed");
}

/** Returns the number of retries so far. The value is validated, because clients may set the context. */
function countOf({ context }: ExecutionEntity, kind: Cause["kind"]): number {
	const { policies } = context;
	const applied = isJsonObject(policies) ? policies[kind] : undefined;
	const count = isJsonObject(applied) ? applied["retry_count"] : undefined;
	return typeof count === "number" && count > 0 ? count : 0;
}

/** Returns a new execution of the same action with the same parameters, including secrets. */
function toNext(ended: ExecutionEntity, { policy, kind }: Cause, { clock, queueOf }: RetriesDependencies): ExecutionEntity {
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
