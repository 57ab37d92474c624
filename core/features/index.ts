import type { Kernel } from "../kernel/kernel.ts";
import { createAccessFeature } from "./access/index.ts";
import { createActionsFeature } from "./actions/index.ts";
import { createDatastoreFeature } from "./datastore/index.ts";
import { createExecutionsFeature } from "./executions/index.ts";
import { createInquiriesFeature } from "./inquiries/index.ts";
import { createNodesFeature } from "./nodes/index.ts";
import { createPacksFeature, type PacksDependencies } from "./packs/index.ts";
import { createPoliciesFeature } from "./policies/index.ts";
import { createRetentionFeature } from "./retention/index.ts";
import { createRulesFeature } from "./rules/index.ts";
import { createSensorsFeature } from "./sensors/index.ts";
import { createTelemetryFeature } from "./telemetry/index.ts";
import { createTimersFeature } from "./timers/index.ts";
import { createTracesFeature } from "./traces/index.ts";
import { createTriggersFeature } from "./triggers/index.ts";
import { createWebhooksFeature } from "./webhooks/index.ts";
import { createWorkflowsFeature } from "./workflows/index.ts";

declare module "./feature-plugin.ts" {
	interface NamedFeatures extends CoreFeatures {}
}

/**
 * Creates the features that every service has, each with the other features that it depends on. The features are registered, consulted and
 * started in the order of the result.
 *
 * @param content readers for all files of packs, and packs that other features bring
 */
export function createCoreFeatures(kernel: Kernel, content: Pick<PacksDependencies, "readers" | "builtInPacks">) {
	const access = createAccessFeature(kernel);
	const datastore = createDatastoreFeature(kernel, access.api);
	const packs = createPacksFeature(kernel, { ...access.api, ...datastore.api, ...content });
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
		inquiries,
		traces: createTracesFeature(kernel, rules.api),
		nodes: createNodesFeature(),
		telemetry: createTelemetryFeature(kernel),
		retention: createRetentionFeature(kernel, {
			endInquiries: inquiries.endOverdue,
			endIdleWorkflows: workflows.endIdle,
			collectContent: packs.collectContent,
		}),
	};
}

/** The features that every service has, by name. */
export type CoreFeatures = ReturnType<typeof createCoreFeatures>;

/** Names of the features that every service has. */
export const coreFeatureNames: readonly string[] = Object.keys({
	access: true,
	datastore: true,
	packs: true,
	sensors: true,
	triggers: true,
	policies: true,
	webhooks: true,
	timers: true,
	rules: true,
	actions: true,
	executions: true,
	workflows: true,
	inquiries: true,
	traces: true,
	nodes: true,
	telemetry: true,
	retention: true,
} satisfies Readonly<Record<keyof CoreFeatures, true>>);
