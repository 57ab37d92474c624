import { createActions } from "./actions.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { Engine } from "./engine-api.ts";
import { createEngineLife } from "./engine-life.ts";
import { createEngineParts } from "./engine-parts.ts";
import { createEvents } from "./events.ts";
import { ensureFirstUser } from "./first-user.ts";
import { createInquiries } from "./inquiries/inquiries.ts";
import { createEnforcements } from "./rules/enforcements.ts";
import { createRunnerTypes } from "./runner-types.ts";
import { createSensorTypes } from "./sensors/sensor-types.ts";
import { checkTimerParameters } from "./timers/schedule.ts";
import { createTimersApi } from "./timers/timers-api.ts";
import { createTraces } from "./traces-read.ts";
import { createTriggers } from "./triggers/triggers.ts";
import { createHookIndex } from "./webhooks/hook-index.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

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
