import type { AnnouncedExecution, ExecutionEntity, JsonObject } from "../../contract/index.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { withScopes } from "../basics/principal.ts";
import type { Dispatcher, IncomingEvent } from "../events/event-dispatcher-api.ts";
import type { ResolvedTrigger } from "../events/trigger-catalog.ts";
import type { TriggerTypeRegistry } from "../events/trigger-type-registry.ts";
import { publishAnnouncement } from "../executions/execution-events.ts";

export interface RunEventOptions extends Uses<"eventBus" | "options" | "authority" | "sealedSecrets"> {
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly triggerTypes: TriggerTypeRegistry;
}

/** An announcement of a run. */
export interface RunAnnouncement {
	readonly route: string;
	readonly payload: JsonObject;
	/** The execution that the payload describes. Undefined: all clients that may follow the stream get the announcement. */
	readonly about: AnnouncedExecution | undefined;
}

/** Publishes announcements and dispatches events of runs. */
export interface RunEventSender {
	/** Publishes an announcement, with secrets masked. Throws `SVC_INVALID` if its route is invalid. */
	announce(execution: ExecutionEntity, secrets: Redactor, announcement: RunAnnouncement): void;
	/** Dispatches a trigger with the permissions of the execution. Returns the id of the trigger instance once it is stored. */
	dispatch(
		execution: ExecutionEntity,
		secrets: Redactor,
		event: Pick<IncomingEvent, "trigger" | "payload"> & { readonly traceTag?: string },
	): Promise<string>;
}

export function createRunEventSender({
	eventBus,
	options,
	authority,
	dispatcher,
	triggerTypes,
	sealedSecrets,
}: RunEventOptions): RunEventSender {
	return {
		/**
		 * Masks secrets if `api.mask_secrets` is on, because announcements leave the service and no part of the service reads them. The
		 * token is always removed.
		 */
		announce({ trace_id: traceId }, secrets, { route, payload, about }) {
			const shown = options.api.mask_secrets ? secrets.redactJson(payload) : secrets.withoutToken(payload);
			publishAnnouncement(eventBus, secrets.redactText(route), { payload: shown, traceId, about });
		},

		/**
		 * Dispatches a new event with a new trace. The event still counts as caused by the execution, so that the loop guard stops endless
		 * cascades. The trigger may come from the parameters of the execution, so its permissions are checked.
		 */
		async dispatch({ id, author, user, scopes }, secrets, { traceTag, trigger, payload }) {
			const principal = withScopes(await authority.principalOf(author ?? user), scopes);
			const { instance } = await dispatcher.dispatch({
				trigger: withoutToken(trigger, secrets),
				payload: secrets.withoutToken(payload),
				// Secrets are masked in the tag, because every user who may list traces sees it.
				trace: { trace_tag: secrets.redactText(traceTag ?? `dispatch-${id}`) },
				check: (resolved: ResolvedTrigger) => triggerTypes.assertInjectable(resolved, principal),
				causedBy: { executionId: id },
				knownSecrets: sealedSecrets.encrypt(secrets),
			});
			return instance.id;
		},
	};
}

function withoutToken(trigger: IncomingEvent["trigger"], secrets: Redactor): IncomingEvent["trigger"] {
	return typeof trigger === "string" ? trigger : { ...trigger, parameters: secrets.withoutToken(trigger.parameters) };
}
