import type { ResourceTypeDefinition } from "../../core/feature.ts";
import {
	type WorkerEntity,
	type WorkerJobEntity,
	type WorkerOutputEntity,
	workerJobKind,
	workerKind,
	workerOutputKind,
} from "./entities.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		worker: WorkerEntity;
		worker_job: WorkerJobEntity;
		worker_output: WorkerOutputEntity;
	}
	interface PermissionVerbs {
		worker: "list" | "take" | "all";
	}
}

export const kinds = { worker: workerKind, worker_job: workerJobKind, worker_output: workerOutputKind };

export const permissions: { readonly worker: ResourceTypeDefinition } = { worker: { verbs: ["list", "take", "all"] } };
