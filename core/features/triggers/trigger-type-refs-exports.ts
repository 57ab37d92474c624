import { trimSlashes } from "../../lib/trim-slashes.ts";

/** Refs of the trigger types that several parts of the service use by name. Features that triggers depend on define their own refs. */
export const triggerRefs = {
	webhook: "core.svc.webhook",
	intervalTimer: "core.svc.IntervalTimer",
	dateTimer: "core.svc.DateTimer",
	cronTimer: "core.svc.CronTimer",
	action: "core.svc.generic.actiontrigger",
	notify: "core.svc.generic.notifytrigger",
	inquiry: "core.svc.generic.inquiry",
} as const;

/** Refs of the trigger types of timers. */
export const timerTypes: readonly string[] = [triggerRefs.intervalTimer, triggerRefs.dateTimer, triggerRefs.cronTimer];

/** Returns the URL of a webhook without leading and trailing slashes, the form in which hooks are registered and found. */
export function toHookUrl(url: string): string {
	return trimSlashes(url);
}
