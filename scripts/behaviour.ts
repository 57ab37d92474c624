/**
 * Tests of what the service promises whatever it keeps its records in: they run unchanged on every backend. The others ask
 * nothing of a storage, or have one of their own.
 */
export const behaviour: Readonly<Record<string, readonly string[]>> = {
	executions: [
		"core/engine/executions.test.ts",
		"core/engine/delayed.test.ts",
		"core/engine/after-run.test.ts",
		"core/engine/rerun.test.ts",
		"core/engine/runs.test.ts",
		"core/engine/catalog-nodes.test.ts",
	],
	policies: [
		"core/engine/policies/concurrency.test.ts",
		"core/engine/policies/concurrency-nodes.test.ts",
		"core/engine/policies/retries.test.ts",
	],
	output: ["core/engine/follow.test.ts", "core/http/service.test.ts"],
	leases: ["core/engine/lease.test.ts", "core/engine/recovery.test.ts", "core/engine/duty.test.ts", "core/engine/clocks-of-nodes.test.ts"],
	credentials: [
		"core/engine/credentials.test.ts",
		"core/engine/api-keys.test.ts",
		"core/engine/slow-down.test.ts",
		"core/http/keys.test.ts",
		"core/http/api-keys.test.ts",
		"core/http/access.test.ts",
	],
	datastore: ["core/engine/datastore/datastore.test.ts", "core/engine/datastore/rotation.test.ts"],
	inquiries: [
		"core/engine/inquiries/inquiries.test.ts",
		"core/engine/inquiries/end-inquiries.test.ts",
		"core/http/routes/inquiries.test.ts",
	],
	rules: [
		"core/engine/rules/rules.test.ts",
		"core/engine/rules/processing.test.ts",
		"core/engine/rules/processor.test.ts",
		"core/engine/rules/hostile-payloads.test.ts",
		"core/engine/packs/read-pack-reactions.test.ts",
	],
	triggers: [
		"core/engine/triggers/triggers.test.ts",
		"core/engine/triggers/dispatcher.test.ts",
		"core/engine/triggers/internal-triggers.test.ts",
		"core/engine/traces.test.ts",
		"core/http/routes/triggers.test.ts",
	],
	timers: ["core/engine/timers/timers.test.ts"],
	sensors: [
		"core/engine/sensors/sensors.test.ts",
		"core/engine/sensors/sensor-nodes.test.ts",
		"core/http/routes/sensors.test.ts",
		"plugins/sensor-file-watch/file-watch-service.test.ts",
	],
	webhooks: ["core/engine/webhooks/webhooks.test.ts", "core/http/routes/webhooks.test.ts"],
};

/**
 * Those of them that ask nothing of an event bus, or where no node is to hear of another: with one bus they are what they are
 * with another, so that they run on one backend for each storage.
 */
export const withoutBus: readonly string[] = [
	"core/engine/credentials.test.ts",
	"core/engine/api-keys.test.ts",
	"core/engine/slow-down.test.ts",
	"core/http/keys.test.ts",
	"core/http/api-keys.test.ts",
	"core/http/access.test.ts",
	"core/engine/datastore/rotation.test.ts",
	"core/engine/packs/read-pack-reactions.test.ts",
	"core/engine/duty.test.ts",
	"core/engine/delayed.test.ts",
	"core/engine/runs.test.ts",
	"core/engine/catalog-nodes.test.ts",
	"core/engine/policies/concurrency.test.ts",
	"core/engine/policies/concurrency-nodes.test.ts",
	"core/engine/policies/retries.test.ts",
];
