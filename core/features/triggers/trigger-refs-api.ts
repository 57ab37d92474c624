/** Refs of the trigger types that parts of the service use by name. */
export const triggerRefs = {
	webhook: "core.svc.webhook",
	intervalTimer: "core.svc.IntervalTimer",
	dateTimer: "core.svc.DateTimer",
	cronTimer: "core.svc.CronTimer",
	action: "core.svc.generic.actiontrigger",
	notify: "core.svc.generic.notifytrigger",
	inquiry: "core.svc.generic.inquiry",
	fileWritten: "core.svc.action.file_written",
	processSpawn: "core.svc.sensor.process_spawn",
	processExit: "core.svc.sensor.process_exit",
	keyCreate: "core.svc.key_value_pair.create",
	keyUpdate: "core.svc.key_value_pair.update",
	keyValueChange: "core.svc.key_value_pair.value_change",
	keyDelete: "core.svc.key_value_pair.delete",
} as const;

/** Refs of the trigger types that timers serve. */
export const timerTypes: readonly string[] = [triggerRefs.intervalTimer, triggerRefs.dateTimer, triggerRefs.cronTimer];

/** The url of a webhook, as it is registered and looked up: without slashes around it (specification, Webhook). */
export function toHookUrl(url: string): string {
	return url.replace(/^\/+|\/+$/g, "");
}
