import type { AnnouncedExecution, EventBus, ExecutionEntity, JsonObject, Options } from "../../contract/index.ts";
import type { SealedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
import { type Authority, withScopes } from "../basics/principal.ts";

import type { Dispatch, Dispatcher } from "../events/event-dispatcher-api.ts";
import type { ResolvedTrigger } from "../events/trigger-catalog.ts";
import type { OwnTriggerTypes } from "../events/trigger-type-registry.ts";
import { publishAnnouncement } from "../executions/execution-events.ts";

export interface RunEventParts {
	readonly eventBus: EventBus;
	readonly options: Options;
	readonly authority: Authority;
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly triggerTypes: OwnTriggerTypes;
	readonly sealedSecrets: SealedSecrets;
}

/** An announcement of a run. */
export interface RunAnnouncement {
	readonly route: string;
	readonly payload: JsonObject;
	/** The execution that the payload describes. Undefined: all clients that may follow the stream get the announcement. */
	readonly about: AnnouncedExecution | undefined;
}

/** What a run tells while it lasts. */
export interface RunEvents {
	announce(execution: ExecutionEntity, secrets: KnownSecrets, announcement: RunAnnouncement): void;
	/** The id of the trigger instance. */
	dispatch(
		execution: ExecutionEntity,
		secrets: KnownSecrets,
		event: Pick<Dispatch, "trigger" | "payload"> & { readonly traceTag?: string },
	): Promise<string>;
}

export function createRunEvents({ eventBus, options, authority, dispatcher, triggerTypes, sealedSecrets }: RunEventParts): RunEvents {
	return {
		/** Announcements leave the service: nothing inside it looks at them. */
		announce({ trace_id: traceId }, secrets, { route, payload, about }) {
			const shown = options.api.mask_secrets ? secrets.json(payload) : secrets.withoutToken(payload);
			publishAnnouncement(eventBus, secrets.text(route), { payload: shown, traceId, about });
		},

		/**
		 * An event of its own (reference 3.3): a trace of its own, yet counted as caused by the execution, so that no cascade runs for
		 * ever. Its name may come from whoever asked for the execution.
		 */
		async dispatch({ id, author, user, scopes }, secrets, { traceTag, trigger, payload }) {
			const principal = withScopes(await authority.principalOf(author ?? user), scopes);
			const { instance } = await dispatcher.dispatch({
				trigger: withoutToken(trigger, secrets),
				payload: secrets.withoutToken(payload),
				// A tag is a name by which everybody finds the trace.
				trace: { trace_tag: secrets.text(traceTag ?? `dispatch-${id}`) },
				check: (resolved: ResolvedTrigger) => triggerTypes.assertInjectable(resolved, principal),
				causedBy: { executionId: id },
				knownSecrets: sealedSecrets.of(secrets),
			});
			return instance.id;
		},
	};
}

function withoutToken(trigger: Dispatch["trigger"], secrets: KnownSecrets): Dispatch["trigger"] {
	return typeof trigger === "string" ? trigger : { ...trigger, parameters: secrets.withoutToken(trigger.parameters) };
}
