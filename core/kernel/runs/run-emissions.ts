import type { AnnouncementSubject, JsonObject } from "../../contract/index.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { withScopes } from "../basics/principal.ts";
import type { Dispatcher, IncomingEvent } from "../events/event-dispatcher-api.ts";
import type { ResolvedTrigger } from "../events/trigger-catalog.ts";
import type { TriggerTypeRegistry } from "../events/trigger-type-registry.ts";
import { publishAnnouncement } from "../executions/execution-events.ts";
import type { ActiveRun } from "./active-runs.ts";

export interface RunEventOptions extends Uses<"eventBus" | "options" | "authority" | "sealedSecrets"> {
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly triggerTypes: TriggerTypeRegistry;
}

interface RunAnnouncement {
	readonly route: string;
	readonly payload: JsonObject;
	/** The execution that the payload describes. Undefined: all clients that may read the stream receive the announcement. */
	readonly about: AnnouncementSubject | undefined;
}

/** Publishes announcements and dispatches events of runs. */
export class RunEmissions {
	readonly #parts: RunEventOptions;

	constructor(parts: RunEventOptions) {
		this.#parts = parts;
	}

	/**
	 * Publishes an announcement. If `api.mask_secrets` is on, masks secrets, because announcements are only read outside the service. Always
	 * removes the token. Throws `SVC_INVALID` if the route is invalid.
	 */
	announce({ execution, secrets }: ActiveRun, { route, payload, about }: RunAnnouncement): void {
		const { eventBus, options } = this.#parts;
		const shown = options.api.mask_secrets ? secrets.redactJson(payload) : secrets.withoutToken(payload);
		publishAnnouncement(eventBus, secrets.redactText(route), { payload: shown, traceId: execution.trace_id, about });
	}

	/**
	 * Dispatches a new event with a new trace. Returns the id of the trigger instance once it is stored. The event still counts as caused by
	 * the execution, so that the loop guard stops endless cascades. Checks the permissions of the execution, because the trigger may come from
	 * its parameters.
	 */
	async dispatch(
		{ execution: { id, author, user, scopes }, secrets }: ActiveRun,
		{ traceTag, trigger, payload }: Pick<IncomingEvent, "trigger" | "payload"> & { readonly traceTag?: string },
	): Promise<string> {
		const { authority, dispatcher, triggerTypes, sealedSecrets } = this.#parts;
		const principal = withScopes(await authority.principalOf(author ?? user), scopes);
		const { instance } = await dispatcher.dispatch({
			trigger: withoutToken(trigger, secrets),
			payload: secrets.withoutToken(payload),
			// Mask secrets in the tag, because every user who may list traces sees it.
			trace: { trace_tag: secrets.redactText(traceTag ?? `dispatch-${id}`) },
			check: (resolved: ResolvedTrigger) => triggerTypes.assertInjectable(resolved, principal),
			causedBy: { executionId: id },
			knownSecrets: sealedSecrets.encrypt(secrets),
		});
		return instance.id;
	}
}

function withoutToken(trigger: IncomingEvent["trigger"], secrets: Redactor): IncomingEvent["trigger"] {
	return typeof trigger === "string" ? trigger : { ...trigger, parameters: secrets.withoutToken(trigger.parameters) };
}
