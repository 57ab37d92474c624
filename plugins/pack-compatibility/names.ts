import type { DialectNames } from "../../core/contract/index.ts";

/** Runner types; the first one is said by today's packs, the others by old ones. */
export const runnerTypes: DialectNames = {
	orquesta: "workflow",
	"http-runner": "http-request",
	"run-local": "local-shell-cmd",
	"run-local-script": "local-shell-script",
	"run-python": "python-script",
	"run-remote": "remote-shell-cmd",
	"run-remote-script": "remote-shell-script",
};

/** Trigger types that the service brings itself. */
export const triggerTypes: DialectNames = {
	...Object.fromEntries(
		[
			"CronTimer",
			"DateTimer",
			"IntervalTimer",
			"action.file_written",
			"generic.actiontrigger",
			"generic.inquiry",
			"generic.notifytrigger",
			"key_value_pair.create",
			"key_value_pair.delete",
			"key_value_pair.update",
			"key_value_pair.value_change",
			"sensor.process_exit",
			"sensor.process_spawn",
			"webhook",
		].map((name) => [`core.st2.${name}`, `core.svc.${name}`]),
	),
	// As the platform spells it.
	"core.st2.action.file_writen": "core.svc.action.file_written",
};

/** The datastore and the service's own object, in templates and expressions. */
export const names: DialectNames = { st2kv: "svckv", st2: "svc" };

/** Variables in the environment of runs. */
export const environment: DialectNames = {
	ST2_ACTION_API_URL: "SVC_ACTION_API_URL",
	ST2_ACTION_AUTH_TOKEN: "SVC_ACTION_AUTH_TOKEN",
	ST2_ACTION_DEBUG: "SVC_ACTION_DEBUG",
	ST2_ACTION_EXECUTION_ID: "SVC_ACTION_EXECUTION_ID",
	ST2_ACTION_PACK_NAME: "SVC_ACTION_PACK_NAME",
	ST2_API_URL: "SVC_ACTION_API_URL",
	ST2_AUTH_TOKEN: "SVC_ACTION_AUTH_TOKEN",
};
