import type { JsonObject } from "../../core/contract/index.ts";

/** Members of the API objects that this runner reads. Every member may be missing. */
export interface KubeObject {
	readonly kind?: string;
	readonly metadata: {
		readonly name: string;
		readonly uid?: string;
		readonly resourceVersion?: string;
		readonly creationTimestamp?: string;
		readonly deletionTimestamp?: string;
		readonly labels?: Readonly<Record<string, string>>;
		readonly annotations?: Readonly<Record<string, string>>;
	};
}

export interface Condition {
	readonly type: string;
	readonly status: string;
	readonly reason?: string;
	readonly message?: string;
}

export interface Job extends KubeObject {
	readonly spec?: JsonObject;
	readonly status?: { readonly conditions?: readonly Condition[]; readonly startTime?: string };
}

export interface Ended {
	readonly exitCode: number;
	readonly reason?: string;
	readonly message?: string;
	readonly startedAt?: string;
	readonly finishedAt?: string;
}

export interface Pod extends KubeObject {
	readonly spec?: { readonly nodeName?: string };
	readonly status?: {
		readonly phase?: string;
		readonly reason?: string;
		readonly message?: string;
		readonly conditions?: readonly Condition[];
		readonly containerStatuses?: readonly {
			readonly name: string;
			readonly state?: {
				readonly waiting?: { readonly reason?: string; readonly message?: string };
				readonly running?: { readonly startedAt?: string };
				readonly terminated?: Ended;
			};
		}[];
	};
}

/** Returns the final condition of a job; undefined while the job has not ended. */
export function findEnd(job: Job): Condition | undefined {
	return job.status?.conditions?.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
}

/** Name of the container of the action. Clusters may inject other containers into the pod. */
export const container = "action";

export function stateOf(pod: Pod | undefined) {
	return pod?.status?.containerStatuses?.find(({ name }) => name === container)?.state;
}

/** Returns the reason why a pod has not started, as the cluster reports it; undefined if it reports none. */
export function findPendingReason(pod: Pod | undefined): string | undefined {
	const waiting = stateOf(pod)?.waiting;
	if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating" && waiting.reason !== "PodInitializing") {
		return join(waiting.reason, waiting.message);
	}
	const refused = pod?.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
	return refused === undefined ? undefined : join(refused.reason ?? "Pending", refused.message);
}

export function join(reason: string, message: string | undefined): string {
	return message === undefined || message === "" ? reason : `${reason}: ${message.slice(0, 500)}`;
}
