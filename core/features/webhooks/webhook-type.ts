import { SvcError } from "../../contract/index.ts";
import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";
import type { Access } from "../access/access-exports.ts";
import { toHookUrl, triggerRefs } from "../triggers/trigger-type-refs-exports.ts";
import { findUrlProblem, hookParametersSchema } from "./hook-parameters-exports.ts";

const object = { type: "object" };

export const webhookType = defineTriggerType(
	triggerRefs.webhook,
	"A webhook received a request.",
	ofObject({ headers: object, headers_lower: object, query: object, body: { anyOf: [object, { type: "array" }] } }),
	hookParametersSchema,
);

/**
 * Creates the trigger type of webhooks with its permission checks.
 * Users who may send to an unsigned hook may also dispatch its events by naming the trigger.
 * Events of a signed hook cannot be dispatched in this way, because users do not have its secret.
 */
export function createWebhookType(access: Pick<Access, "assert">): TriggerTypeDefinition {
	return {
		type: webhookType,
		isAlwaysChecked: true,
		checkParameters({ url }) {
			const problem = findUrlProblem(String(url));
			if (problem !== undefined) throw new SvcError("SVC_INVALID", `trigger.parameters.url: ${problem}`);
		},
		assertInjectable({ ref, parameters }, principal) {
			const url = toHookUrl(String(parameters["url"]));
			if (parameters["signature"] !== undefined) {
				throw new SvcError("SVC_FORBIDDEN", `trigger: "${ref}" belongs to a signed webhook: only requests to "${url}" dispatch it`);
			}
			access.assert(principal, "webhook_send", { uid: `webhook:${url}` });
		},
	};
}
