import { type EventBus, type NodeRole, nodeRoles, type Storage, SvcError } from "../../contract/index.ts";

export interface Shareable {
	readonly roles: readonly NodeRole[];
	readonly storage: { readonly name: string; readonly capabilities: Storage["capabilities"] };
	readonly eventBus: { readonly name: string; readonly capabilities: EventBus["capabilities"] };
}

/** A node that runs a part only needs others to run the rest, and both need to reach them. Throws `SVC_CONFIG` otherwise. */
export function assertShareable({ roles, storage, eventBus }: Shareable): void {
	if (roles.length === nodeRoles.length) return;
	const missing = nodeRoles.filter((role) => !roles.includes(role)).join(", ");
	if (storage.capabilities.shared !== true) {
		throw new SvcError(
			"SVC_CONFIG",
			`node.only: other nodes must run ${missing}, and the storage "${storage.name}" as it is configured is for one process; ` +
				'hint: storage: knexStorage({ client: "postgres", url: "postgres://…" }), or leave node.only and --only out to run everything here',
		);
	}
	if (eventBus.capabilities.shared !== true) {
		throw new SvcError(
			"SVC_CONFIG",
			`node.only: other nodes must run ${missing}, and the event bus "${eventBus.name}" reaches this process only; ` +
				"hint: event_bus: postgresBus({ … }) or natsBus({ … }), or leave node.only and --only out to run everything here",
		);
	}
}
