/** Texts of the pages about nodes and workers. */

export const running = "Running";
export const runningOf = (running: number, slots: number) => `${running} of ${slots}`;
export const lastSeen = "Last seen";
export const clockOffset = "Clock offset";
export const clockOffsetFromStorage = "Clock offset from the storage";
export const seconds = (count: number) => `${count.toFixed(3)} s`;
export const answeringNode = "The node that serves this page:";
export const notReady = "not ready";
export const clockDiffers = " Its clock differs from that of the storage.";

export const resume = "Resume";
export const resumed = "The node starts executions again";
export const drain = "Drain";
export const drainOne = "Drain …";
export const drainNamed = (node: string) => `Drain ${node}?`;
export const draining = "The node starts no new executions, and is drained when its running ones have ended";
export const drainWarning =
	"The node starts no new executions; its running ones continue to their end. If it is the only node that runs executions, new ones wait.";

export const host = "Host";
export const process = "Process";
export const eventBus = "Event bus";
export const staleWrites = "Rejected stale writes";
export const addressOf = (component: string) => `Address of ${component}`;

export const runningExecutions = "Running executions";
export const noneRunning = "No executions are running here";
export const noneRunningStep = "Executions are listed here while they run.";

export const labels = "Labels";
export const runnerTypes = "Runner types";
export const keyOf = "API key of";
export const noWorkers = "No worker has connected within the last day";
export const noWorkersStep = "Start `svc worker` on another machine.";
