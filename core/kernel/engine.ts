import { ensureFirstUser } from "../features/access/first-user.ts";
import { createActions } from "../features/actions/actions.ts";
import { createRunnerTypes } from "../features/actions/runner-types.ts";
import { createEvents } from "../features/executions/events.ts";
import { createInquiries } from "../features/inquiries/inquiries.ts";
import { createEnforcements } from "../features/rules/enforcements.ts";
import { createSensorTypes } from "../features/sensors/sensor-types.ts";
import { checkTimerParameters } from "../features/timers/schedule.ts";
import { createTimersApi } from "../features/timers/timers-api.ts";
import { createTraces } from "../features/traces/traces-read.ts";
import { createTriggers } from "../features/triggers/triggers.ts";
import { createHookIndex } from "../features/webhooks/hook-index.ts";
import { createWebhooks } from "../features/webhooks/webhooks.ts";
import type { Engine } from "./engine-api.ts";
import { createEngineLife } from "./engine-life.ts";
import { createEngineParts } from "./engine-parts.ts";
import type { EngineDependencies } from "./plugins/dependencies.ts";

/** Put an engine together. Nothing is opened or started before `start`. */
export function createEngine(dependencies: EngineDependencies): Engine {
	const { options, logger, roles } = dependencies;
	const parts = createEngineParts(dependencies);
	const life = createEngineLife(dependencies, parts);
	const { shared, host, changes, catalog, triggers, triggerTypes, instances, datastore, ruling, policing, node, executions } = parts;
	const { access, apiKeys, completions, credentials, output, packConfigs, retention, runs } = parts;
	const { storage, authBackend } = host;
	return {
		nodeId: shared.nodeId,
		run: runs.run,
		executions,
		triggers: {
			types: triggerTypes,
			triggers: createTriggers({ ...shared, ...triggers, changes, checkParameters: checkTimerParameters }),
			instances,
		},
		rules: ruling.rules,
		enforcements: createEnforcements({ storage, executions }),
		policies: policing.policies,
		timers: createTimersApi({ storage }),
		sensorTypes: createSensorTypes({ ...shared, changes }),
		traces: createTraces({ storage }),
		inquiries: createInquiries({ ...shared, completions, catalog }),
		output,
		events: createEvents({ ...shared, catalog }),
		actions: createActions({ ...shared, catalog, access, draft: triggers.dispatcher.draft }),
		runnerTypes: createRunnerTypes({ storage, catalog }),
		credentials,
		apiKeys,
		access,
		dispatcher: triggers.dispatcher,
		datastore,
		packConfigs,
		nodes: node.nodes,
		readiness: node.readiness,
		retention,
		webhooks: createWebhooks({
			...shared,
			access,
			dispatcher: triggers.dispatcher,
			hooks: createHookIndex({ storage, changes }),
			readSecret: (name) => datastore.clearAccessFor(options.system_user.user, "webhook signature").lookup("system", name),
		}),
		start: life.start,
		async ensureFirstUser() {
			// Where nobody can sign in, the backend has not been started.
			if (!options.auth.enable || authBackend === undefined || !roles.some((role) => role === "auth" || role === "api")) return undefined;
			return ensureFirstUser({
				backend: authBackend,
				adminPassword: dependencies.adminPassword,
				logger,
				systemUser: options.system_user.user,
			});
		},
		drain: life.drain,
		abort: life.abort,
		stop: life.stop,
		[Symbol.asyncDispose]: life.stop,
	};
}
