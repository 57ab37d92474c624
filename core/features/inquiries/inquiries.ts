import { type ExecutionEntity, type JsonObject, SvcError, toErrorMessage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { readPage } from "../../kernel/basics/pagination.ts";
import { toChildOrigin } from "../../kernel/executions/child-identity.ts";
import { addLogActor } from "../../kernel/executions/log-actor.ts";
import { isCompleted, toResultPatch, toStatusPatch } from "../../kernel/executions/status.ts";
import { applyTransition } from "../../kernel/executions/transition.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { inquiryRunnerType, maskAnswer, toAnswerDefinition } from "../../language/inquiry-schema.ts";
import { assertDepth } from "../../language/parameters/depth.ts";
import { withNestedDefaults } from "../../language/parameters/nested-defaults.ts";
import { collectMasked } from "../../language/parameters/schema-masking.ts";
import { validateParameter } from "../../language/parameters/validate.ts";
import type { Inquiries, Inquiry, InquiryView } from "./inquiries-exports.ts";
import { assertMayRespond, assertWaiting, toInquiry } from "./inquiry.ts";

/** Parts of the engine that end an inquiry. */
export type InquiryEndDependencies = Uses<"storage" | "eventBus" | "clock" | "logger"> & Pick<Kernel, "completionEffects">;

export type InquiryDependencies = InquiryEndDependencies & Uses<"sealedSecrets"> & Pick<Kernel, "catalog">;

const pending = { runner_name: inquiryRunnerType, status: "pending" } as const;

/** Throws `SVC_INVALID` if the workflow that started the inquiry has ended or is being canceled. It no longer waits for the response. */
async function assertAwaited(storage: InquiryDependencies["storage"], execution: ExecutionEntity): Promise<void> {
	const { id, parent_id } = execution;
	if (parent_id === null || toChildOrigin(execution) === undefined) return;
	const [parent] = await storage.find("execution", { where: { id: parent_id }, fields: ["status"] });
	if (parent === undefined || !(isCompleted(parent.status) || parent.status === "canceling")) return;
	const message = `Inquiry "${id}" cannot be responded to: execution "${parent_id}", which asked it, is "${parent.status}".`;
	throw new SvcError("SVC_INVALID", message);
}

export function createInquiries(parts: InquiryDependencies): Inquiries {
	const { storage, logger } = parts;

	async function read(id: string): Promise<ExecutionEntity> {
		const found = isId(id) ? await storage.get("execution", id) : undefined;
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `inquiry "${id}" cannot be found`);
		return found;
	}

	async function toView(execution: ExecutionEntity): Promise<InquiryView> {
		const secrets = parts.sealedSecrets.decryptForExecution(execution, await parts.catalog.snapshot(execution.snapshot_id));
		return { ...toInquiry(execution), secrets };
	}

	return {
		async list(paging, { newestFirst = false } = {}) {
			const orderBy = newestFirst ? ([["start_timestamp", "desc"]] as const) : undefined;
			const fields = ["id", "result", "parameters", "known_secrets", "snapshot_id"] as const;
			const { items, total } = await readPage(storage, "execution", { where: pending, fields, ...(orderBy && { orderBy }), ...paging });
			return { items: await Promise.all(items.map(toView)), total };
		},

		async get(id) {
			const execution = await read(id);
			assertWaiting(execution);
			return toView(execution);
		},

		async respond(id, response, principal, reason) {
			for (;;) {
				const execution = await read(id);
				assertWaiting(execution);
				const inquiry = toInquiry(execution);
				assertMayRespond(inquiry, principal);
				await assertAwaited(storage, execution);
				await waitForLoopBudget();
				const answer = checkAnswer(inquiry, response);
				const result = { ...execution.result, response: answer };
				const secret = collectMasked(result, maskAnswer(result));
				const patch = {
					...addLogActor(toStatusPatch(execution, "succeeded", toTimestamp(parts.clock.now())), principal, reason),
					...toResultPatch(result),
					...(secret.length > 0 && { known_secrets: parts.sealedSecrets.addValues(execution.known_secrets, secret) }),
				};
				// A concurrent response or timeout may have ended the inquiry. The next iteration then throws the matching error.
				if ((await applyTransition(parts, execution, patch, { status: "pending" })) === undefined) continue;
				logger.info("inquiry answered", { execution_id: id, user: principal.username });
				return { inquiry, response: answer };
			}
		},

		async parentAction(id) {
			const { parent_id } = await read(id);
			const parent = parent_id === null ? undefined : await storage.get("execution", parent_id);
			return parent?.action_ref;
		},
	};
}

/** Returns the response with the defaults of the schema. Throws `SVC_INVALID` if it violates the schema. */
function checkAnswer(inquiry: Inquiry, response: JsonObject): JsonObject {
	const definition = toAnswerDefinition(inquiry.schema);
	try {
		assertDepth("response", response);
		const whole = withNestedDefaults(response, definition) as JsonObject;
		validateParameter("response", whole, definition);
		return whole;
	} catch (error) {
		const reason = toErrorMessage(error).replace(/^parameter "([^"]*)"/, "$1:");
		throw new SvcError("SVC_INVALID", `Response for inquiry "${inquiry.id}" did not pass schema validation. ${reason}`, { cause: error });
	}
}
