/**
 * Requests that change something and leave no entry of their own, with the reason. Every other one leaves one at least: what is not named
 * here is recorded.
 */
export const unrecorded: ReadonlyMap<string, string> = new Map([
	["auth POST /tokens/validate", "changes nothing"],
	["auth POST /sso/request", "begins a sign-in, which is recorded when it has come to its end"],
	["auth POST /sso/device", "begins a sign-in, which is recorded when it has come to its end"],
	["api POST /executions", "a run, which has a record of its own with who asked for it"],
	["api POST /executions/:id/re_run", "a run, which has a record of its own with who asked for it"],
	["api POST /workflows/inspect", "changes nothing"],
	["api POST /actionalias/match", "changes nothing"],
	["api POST /aliasexecution", "a run, which has a record of its own with who asked for it"],
	["api POST /aliasexecution/match_and_execute", "a run, which has a record of its own with who asked for it"],
	["api POST /packs/index/search", "changes nothing"],
	["api POST /rules/test", "changes nothing"],
	["api POST /webhooks/**:url", "an event, which has a record of its own with who sent it"],
	["api POST /workers/poll", "a worker asks for runs, which have records of their own"],
	["api POST /workers/jobs/:id/output", "what a run prints"],
	["api POST /workers/jobs/:id/end", "the end of a run, which its record tells"],
	["api POST /workers/jobs/:id/files", "changes nothing"],
	["api POST /workers/jobs/:id/bytes", "changes nothing"],
]);

/** Requests by which runs keep what they know: `audit.datastore_of_runs` says what of it is recorded. */
export const storedByRuns: ReadonlySet<string> = new Set(["api PUT /keys/:name", "api DELETE /keys/:name"]);

/** Requests whose work takes many writes, or none in the storage: their entry is stored before it begins. */
export const announced: ReadonlySet<string> = new Set([
	"api PUT /executions/:id",
	"api DELETE /executions/:id",
	"api PUT /inquiries/:id",
	"api POST /triggerinstances/:id/re_emit",
	"api POST /keys/rotate",
	"api PUT /configs/:pack",
	"api POST /packs/install",
	"api POST /packs/uninstall",
	"api POST /packs/upgrade",
	"api POST /packs/rollback",
	"api POST /webhook_deliveries/:id/replay",
	"api POST /purge/:records",
	"api POST /nodes/:node/drain",
	"api POST /nodes/:node/resume",
]);
