import { defineKind } from "../../core/feature.ts";
import { type WorkerEntity, type WorkerJobEntity, type WorkerOutputEntity, workerJobKind, workerKind, workerOutputKind } from "./entities.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		worker: WorkerEntity;
		worker_job: WorkerJobEntity;
		worker_output: WorkerOutputEntity;
	}
}

defineKind("worker", workerKind);
defineKind("worker_job", workerJobKind);
defineKind("worker_output", workerOutputKind);
