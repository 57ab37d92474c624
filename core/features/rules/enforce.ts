import {
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type Logger,
	type RuleEnforcementEntity,
	type RuleEntity,
	type TraceEntity,
	type TriggerInstanceEntity,
	toErrorMessage,
	type WriteOperation,
} from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { type RuleOrigin, type SubmitParts, storeExecution } from "../../kernel/executions/submit.ts";
import { isTemplateProblem } from "../../language/parameters/problems.ts";
import type { LoopGuard } from "./loop-guard.ts";

export interface EnforcerParts extends SubmitParts {
	readonly logger: Logger;
	readonly guard: LoopGuard;
	/** Whom the executions of rules run for. */
	readonly principal: Principal;
}

/** An event that rules act on. */
export interface EnforcedEvent {
	readonly instance: TriggerInstanceEntity;
	readonly trace: TraceEntity | undefined;
}

/** Makes rules act. */
export interface Enforcer {
	/**
	 * Let a rule act on an event it matches: enforcement and execution are stored in one write, together with `also`. Once for each
	 * rule and event, however often it is called: false says that it has been before, and nothing was stored. Why a rule could not
	 * act is in its enforcement; rejects only when nothing can be stored.
	 */
	enforce(rule: RuleEntity, event: EnforcedEvent, also?: readonly WriteOperation[]): Promise<boolean>;
	/** Record that a rule could not be looked at. */
	fail(rule: RuleEntity, event: EnforcedEvent, problem: string, also?: readonly WriteOperation[]): Promise<boolean>;
}

export function createEnforcer(parts: EnforcerParts): Enforcer {
	const { storage, clock, logger } = parts;

	function toEnforcement(rule: RuleEntity, { instance }: EnforcedEvent, outcome: Outcome): RuleEnforcementEntity {
		return {
			id: createId(clock),
			rule_id: rule.id,
			rule_ref: rule.ref,
			trigger_instance_id: instance.id,
			enforced_at: toTimestamp(clock.now()),
			trace_id: instance.trace_id,
			...("execution" in outcome
				? { status: "succeeded", execution_id: outcome.execution, failure_reason: null }
				: { status: "failed", execution_id: null, failure_reason: toReason(rule, instance, outcome.problem) }),
		};
	}

	async function submit(rule: RuleEntity, event: EnforcedEvent, also: readonly WriteOperation[]): Promise<void> {
		const { instance, trace } = event;
		const context = {
			trigger_instance: { id: instance.id, name: null },
			rule: { id: rule.id, name: rule.name },
			trace_context: { id_: instance.trace_id, trace_tag: trace?.trace_tag ?? null },
		};
		const origin: RuleOrigin = {
			fields: {
				rule_name: rule.name,
				trigger_name: toName(instance.trigger),
				trigger_type_name: toName(instance.trigger_type),
				trigger_instance_id: instance.id,
				trace_id: instance.trace_id,
			},
			names: { trigger: instance.payload },
			knownSecrets: instance.known_secrets,
			pack: rule.pack,
			author: rule.user,
			alongside: (execution) => [{ insert: "rule_enforcement", entities: [toEnforcement(rule, event, toOutcome(execution))] }, ...also],
		};
		const input = { action: rule.action_ref, parameters: rule.action_parameters, context };
		const { entity } = await storeExecution(parts, input, parts.principal, { rule: origin });
		logger.info("rule enforced", { rule: rule.ref, trigger_instance_id: instance.id, execution_id: entity.id });
	}

	async function fail(rule: RuleEntity, event: EnforcedEvent, reason: string, also: readonly WriteOperation[] = []): Promise<boolean> {
		const problem = parts.sealedSecrets.open(event.instance.known_secrets).text(reason);
		const enforcement = toEnforcement(rule, event, { problem });
		logger.warn("rule could not be enforced", { rule: rule.ref, trigger_instance_id: event.instance.id, problem });
		try {
			await storage.write([{ insert: "rule_enforcement", entities: [enforcement] }, ...also]);
			return true;
		} catch (error) {
			await assertEnforced(rule, event, error);
			return false;
		}
	}

	/** A conflict is none when the rule has acted already. */
	async function assertEnforced(rule: RuleEntity, { instance }: EnforcedEvent, error: unknown): Promise<void> {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		const where = { rule_id: rule.id, trigger_instance_id: instance.id };
		if ((await storage.count("rule_enforcement", where)) === 0) throw error;
	}

	return {
		fail,
		async enforce(rule, event, also = []) {
			const refusal = await parts.guard.refuse(rule, event.instance);
			if (refusal !== undefined) return fail(rule, event, refusal, also);
			try {
				await submit(rule, event, also);
				return true;
			} catch (error) {
				// The failed execution is stored, and the enforcement with it.
				if (isTemplateProblem(error)) return true;
				if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
				if (isSvcError(error, "SVC_CONFLICT")) {
					await assertEnforced(rule, event, error);
					return false;
				}
				if (!isSvcError(error)) logger.error("rule failed", { rule: rule.ref, trigger_instance_id: event.instance.id, error });
				return fail(rule, event, toErrorMessage(error), also);
			}
		},
	};
}

type Outcome = { readonly execution: string } | { readonly problem: string };

function toOutcome({ id, status, result }: ExecutionEntity): Outcome {
	return status === "failed" ? { problem: String((result as JsonObject)["error"]) } : { execution: id };
}

function toReason(rule: RuleEntity, instance: TriggerInstanceEntity, problem: string): string {
	return `rule "${rule.ref}" could not act on trigger instance "${instance.id}": ${problem}`;
}

/** What follows the pack in a ref. */
function toName(ref: string): string {
	return ref.slice(ref.indexOf(".") + 1);
}
