/** Refs of the trigger types that more than one part of the service uses by name. Features below triggers keep their own. */
export const triggerRefs = {
	webhook: "core.svc.webhook",
	intervalTimer: "core.svc.IntervalTimer",
	dateTimer: "core.svc.DateTimer",
	cronTimer: "core.svc.CronTimer",
	action: "core.svc.generic.actiontrigger",
	notify: "core.svc.generic.notifytrigger",
	inquiry: "core.svc.generic.inquiry",
} as const;

/** Refs of the trigger types that timers serve. */
export const timerTypes: readonly string[] = [triggerRefs.intervalTimer, triggerRefs.dateTimer, triggerRefs.cronTimer];

/** The url of a webhook, as it is registered and looked up: without slashes around it (specification, Webhook). */
export function toHookUrl(url: string): string {
	return url.replace(/^\/+|\/+$/g, "");
}
