import type { Finding } from "../../cli/service-plan.ts";
import { assertShareable } from "../../kernel/nodes/cluster-checks.ts";
import type { CreatedPlugins } from "../../kernel/plugins/create-plugins.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { toFinding, toFindings } from "./findings.ts";

/** What works, and may not be what is wanted. */
export function listWarnings({ options, warnings }: ResolvedConfig, { door, eventBus }: CreatedPlugins): readonly Finding[] {
	const found: Finding[] = warnings.map(toFinding);
	if (!options.auth.enable) {
		found.push({
			path: "auth.enable",
			message: "authentication is off: whoever reaches the service may do everything",
			hint: "auth: { enable: true }",
		});
	}
	if (options.system.debug) found.push({ path: "system.debug", message: "debug mode is on: logs hold secrets", hint: "leave it out" });
	if (door.storage.capabilities.durable !== true) {
		found.push({
			path: "storage",
			message: "what it keeps is gone when the service stops",
			hint: 'storage: knexStorage({ client: "sqlite" })',
		});
	}
	if (door.storage.capabilities.shared === true && eventBus.capabilities.shared !== true) {
		found.push({
			path: "event_bus",
			message: "it reaches this process only, so that no second node can work on the storage",
			hint: "event_bus: postgresBus({ … }) or natsBus({ … })",
		});
	}
	return found;
}

/** Why the roles of the node cannot be had with these plugins. */
export function findRoleFindings({ roles, storage, eventBus }: ResolvedConfig, plugins: CreatedPlugins): readonly Finding[] {
	try {
		assertShareable({
			roles,
			storage: { name: storage.name, capabilities: plugins.door.storage.capabilities },
			eventBus: { name: eventBus.name, capabilities: plugins.eventBus.capabilities },
		});
		return [];
	} catch (error) {
		return toFindings(error, "node.only");
	}
}
