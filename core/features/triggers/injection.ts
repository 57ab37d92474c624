import { SvcError } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { ResolvedTrigger } from "../../kernel/events/trigger-catalog.ts";
import type { Access } from "../access/access.ts";
import { toHookUrl } from "../webhooks/hook-parameters.ts";
import { builtInTypes, triggerRefs } from "./built-in-types.ts";

const ownTypes: ReadonlySet<string> = new Set(builtInTypes.map(({ ref }) => ref));

/**
 * Whether somebody may have an event happen just by naming its trigger. Rules believe what the service's own triggers tell them: that
 * a sender has signed it, that it is time, how an execution ended. Such events come from where they happen. `SVC_FORBIDDEN`.
 */
export function assertInjectable({ trigger, type }: ResolvedTrigger, principal: Principal, access: Pick<Access, "assert">): void {
	if (!ownTypes.has(type.ref)) return;
	if (type.ref === triggerRefs.webhook) return assertMayPost(trigger, principal, access);
	if (principal.isAdmin) return;
	throw new SvcError(
		"SVC_FORBIDDEN",
		`trigger: only administrators may dispatch "${trigger.ref}", which the service itself does when it happens`,
	);
}

/** An administrator neither has the sender's secret. What a hook without one takes, everybody may send who may post to it. */
function assertMayPost({ ref, parameters }: ResolvedTrigger["trigger"], principal: Principal, access: Pick<Access, "assert">): void {
	const url = toHookUrl(String(parameters["url"]));
	if (parameters["signature"] !== undefined) {
		throw new SvcError("SVC_FORBIDDEN", `trigger: "${ref}" is that of a signed webhook, and comes by what is posted to "${url}" only`);
	}
	access.assert(principal, "webhook_send", { uid: `webhook:${url}` });
}
