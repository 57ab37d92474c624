import type { Kernel } from "../kernel/kernel.ts";
import { createAccessFeature } from "./access/index.ts";
import { createActionsFeature } from "./actions/index.ts";
import { createAliasesFeature } from "./aliases/index.ts";
import { createAuditFeature } from "./audit/index.ts";
import { createDatastoreFeature } from "./datastore/index.ts";
import { createExecutionsFeature } from "./executions/index.ts";
import { fileReaders } from "./file-readers.ts";
import { createInquiriesFeature } from "./inquiries/index.ts";
import { createNodesFeature } from "./nodes/index.ts";
import { createPacksFeature } from "./packs/index.ts";
import { createPoliciesFeature } from "./policies/index.ts";
import { createRetentionFeature } from "./retention/index.ts";
import { createRulesFeature } from "./rules/index.ts";
import { createSensorsFeature } from "./sensors/index.ts";
import { createTelemetryFeature } from "./telemetry/index.ts";
import { createTimersFeature } from "./timers/index.ts";
import { createTracesFeature } from "./traces/index.ts";
import { createTriggersFeature } from "./triggers/index.ts";
import { createWebUiFeature } from "./web-ui/index.ts";
import { createWebhooksFeature } from "./webhooks/index.ts";
import { createWorkersFeature } from "./workers/index.ts";
import { createWorkflowsFeature } from "./workflows/index.ts";

/**
 * Creates the features of the service, each with the other features that it depends on.
 * The features are registered, consulted and started in the order of the result. An embedding program may leave some out, or add its own.
 */
export function createFeatures(kernel: Kernel) {
	const access = createAccessFeature(kernel);
	const datastore = createDatastoreFeature(kernel, access.api);
	const packs = createPacksFeature(kernel, { ...access.api, ...datastore.api, readers: fileReaders });
	const triggers = createTriggersFeature(kernel, packs);
	const policies = createPoliciesFeature(kernel, packs);
	const sensors = createSensorsFeature(kernel, {
		...access.api,
		...datastore.api,
		...packs.api,
		registerFiles: packs.registerFiles,
		registerType: triggers.registerType,
	});
	const rules = createRulesFeature(kernel, {
		...access.api,
		...triggers.api,
		registerFiles: packs.registerFiles,
		ownRules: packs.ownRules,
	});
	const actions = createActionsFeature(kernel, access.api);
	const inquiries = createInquiriesFeature(kernel);
	const workflows = createWorkflowsFeature(kernel, { ...access.api, ...actions.api });
	return {
		access,
		audit: createAuditFeature(kernel),
		datastore,
		packs,
		// Sensors register before triggers, so that a pack's trigger type file overrides the definition in a sensor's file.
		sensors,
		triggers,
		policies,
		webhooks: createWebhooksFeature(kernel, { ...access.api, ...datastore.api }),
		timers: createTimersFeature(kernel),
		rules,
		actions,
		executions: createExecutionsFeature(kernel),
		workflows,
		aliases: createAliasesFeature(kernel, { ...access.api, ...rules.api, registerFiles: packs.registerFiles }),
		inquiries,
		traces: createTracesFeature(kernel, rules.api),
		nodes: createNodesFeature(),
		telemetry: createTelemetryFeature(kernel),
		workers: createWorkersFeature(kernel, { contents: packs.contents, findDemand: policies.findDemand }),
		retention: createRetentionFeature(kernel, {
			endInquiries: inquiries.endOverdue,
			endIdleWorkflows: workflows.endIdle,
			collectContent: packs.collectContent,
		}),
		webUi: createWebUiFeature(kernel),
	};
}

/** The features of the service, by name. */
export type Features = ReturnType<typeof createFeatures>;
