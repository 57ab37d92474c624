/**
 * Tests of what the service promises whatever it keeps its records in: they run on SQLite, and on PostgreSQL (`onNats` with NATS) except
 * for `withoutPostgres`, and for single tests that say so (`exceptOn`). The other files ask nothing of a storage, or have one of their
 * own. That every storage and every event bus keeps its contract is tested by their suites.
 */
export const behaviour: Readonly<Record<string, readonly string[]>> = {
	executions: [
		"core/kernel/execution-service.test.ts",
		"core/kernel/scheduling/delayed-executions.test.ts",
		"core/kernel/runs/after-run.test.ts",
		"core/kernel/runs/children/run-children.test.ts",
		"core/kernel/submission/rerun-request.test.ts",
		"core/features/executions/host-program-runs.test.ts",
		"core/kernel/executions/action-catalog-nodes.test.ts",
	],
	policies: [
		"core/features/policies/concurrency.test.ts",
		"core/features/policies/concurrency-nodes.test.ts",
		"core/features/policies/retries.test.ts",
		"core/features/policies/children.test.ts",
	],
	output: ["core/kernel/output/live/following.test.ts", "core/http/service.test.ts"],
	leases: [
		"core/kernel/runs/run-lease-renewal.test.ts",
		"core/kernel/scheduling/orphan-recovery.test.ts",
		"core/kernel/runs/children/children-nodes.test.ts",
		"core/kernel/runs/children/journal.test.ts",
		"core/kernel/runs/pausing.test.ts",
		"core/kernel/runs/parent-wakeup.test.ts",
		"core/kernel/coordination/singleton-task.test.ts",
		"core/kernel/coordination/leasing.test.ts",
		"core/kernel/coordination/node-clocks.test.ts",
	],
	credentials: [
		"core/features/access/credentials.test.ts",
		"core/features/access/api-keys.test.ts",
		"core/features/access/sign-in-throttle.test.ts",
		"core/features/datastore/items-http.test.ts",
		"core/features/access/api-keys-http.test.ts",
		"core/http/access.test.ts",
	],
	datastore: ["core/features/datastore/datastore.test.ts", "core/features/datastore/key-rotation.test.ts"],
	audit: ["plugins/feature-audit/audit-nodes.test.ts"],
	inquiries: [
		"core/features/inquiries/inquiries.test.ts",
		"core/features/inquiries/inquiry-expiry.test.ts",
		"core/features/inquiries/routes.test.ts",
	],
	rules: [
		"core/features/rules/rules.test.ts",
		"core/features/rules/processing.test.ts",
		"core/kernel/events/event-processor.test.ts",
		"core/features/rules/hostile-payloads.test.ts",
		"core/features/rules/register-from-packs.test.ts",
	],
	triggers: [
		"core/features/triggers/triggers.test.ts",
		"core/kernel/events/event-dispatcher-api.test.ts",
		"core/features/triggers/internal-triggers.test.ts",
		"core/kernel/submission/trace-selection.test.ts",
		"core/features/triggers/routes.test.ts",
		"core/features/triggers/titles-http.test.ts",
	],
	timers: ["core/features/timers/timers.test.ts"],
	sensors: [
		"core/features/sensors/sensors.test.ts",
		"core/features/sensors/sensor-nodes.test.ts",
		"core/features/sensors/pack-sensors.test.ts",
		"core/features/sensors/routes.test.ts",
		"plugins/sensor-file-watch/file-watch-service.test.ts",
	],
	packs: [
		"plugins/feature-pack-installer/install/pack-locks.test.ts",
		"core/features/packs/activation/pack-nodes.test.ts",
		"core/features/packs/activation/pack-activation.test.ts",
	],
	aliases: [
		"plugins/feature-aliases/routes.test.ts",
		"plugins/feature-aliases/alias-executions.test.ts",
		"plugins/feature-aliases/answers.test.ts",
		"plugins/feature-aliases/chat-runner.test.ts",
	],
	workers: ["plugins/feature-workers/workers.test.ts"],
	webhooks: ["core/features/webhooks/webhooks.test.ts", "core/features/webhooks/routes.test.ts"],
};

/**
 * Those that use the storage one request at a time, through what the suite of storages tests: nothing in them depends on how PostgreSQL
 * handles several connections.
 */
export const withoutPostgres: readonly string[] = [
	"plugins/feature-aliases/routes.test.ts",
	"plugins/feature-aliases/alias-executions.test.ts",
	"plugins/feature-aliases/answers.test.ts",
	"plugins/feature-aliases/chat-runner.test.ts",
	"core/features/access/credentials.test.ts",
	"core/features/access/api-keys.test.ts",
	"core/features/access/api-keys-http.test.ts",
	"core/http/access.test.ts",
	"core/features/datastore/items-http.test.ts",
	"core/features/executions/host-program-runs.test.ts",
	"core/features/inquiries/routes.test.ts",
	"core/features/rules/hostile-payloads.test.ts",
	"core/features/rules/register-from-packs.test.ts",
	"core/features/sensors/routes.test.ts",
	"core/features/triggers/routes.test.ts",
	"core/kernel/executions/action-catalog-nodes.test.ts",
	"core/kernel/submission/trace-selection.test.ts",
	"core/kernel/submission/rerun-request.test.ts",
	"core/kernel/runs/after-run.test.ts",
	"core/features/inquiries/inquiry-expiry.test.ts",
	"core/features/policies/concurrency.test.ts",
	"core/features/policies/retries.test.ts",
	"core/features/rules/processing.test.ts",
	"core/features/sensors/pack-sensors.test.ts",
	"core/features/sensors/sensors.test.ts",
	"core/features/triggers/internal-triggers.test.ts",
	"core/features/webhooks/routes.test.ts",
	"core/features/webhooks/webhooks.test.ts",
	"core/http/service.test.ts",
	"plugins/sensor-file-watch/file-watch-service.test.ts",
];

/**
 * Those where one node has to hear of another: they run on PostgreSQL with NATS as the event bus instead of its own, which the suite of
 * event buses and the files of `onPostgresInShort` test.
 */
export const onNats: readonly string[] = [
	"core/kernel/execution-service.test.ts",
	"core/kernel/output/live/following.test.ts",
	"core/kernel/runs/pausing.test.ts",
	"core/kernel/runs/children/children-nodes.test.ts",
	"core/kernel/events/event-dispatcher-api.test.ts",
	"core/features/packs/activation/pack-nodes.test.ts",
	"core/features/sensors/sensor-nodes.test.ts",
];

/** A few on the storage in memory, which keeps no records for others, so that a service without a database is seen to work. */
export const inMemory: readonly string[] = ["core/kernel/execution-service.test.ts", "core/features/datastore/datastore.test.ts"];

/**
 * Those that the short suite runs on PostgreSQL as well as on SQLite: what depends on how several nodes read and write the same records.
 * The full suite runs all of them on PostgreSQL but for `withoutPostgres` and `onNats`.
 */
export const onPostgresInShort: readonly string[] = [
	"core/kernel/runs/run-lease-renewal.test.ts",
	"core/kernel/execution-service.test.ts",
	"core/kernel/scheduling/orphan-recovery.test.ts",
	"core/kernel/runs/children/journal.test.ts",
	"core/kernel/coordination/singleton-task.test.ts",
	"core/kernel/coordination/leasing.test.ts",
	"core/kernel/events/event-processor.test.ts",
	"core/features/policies/concurrency-nodes.test.ts",
	"core/features/packs/activation/pack-activation.test.ts",
];
