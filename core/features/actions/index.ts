import { type RunnerTypeEntity, SvcError } from "../../contract/index.ts";
import type { HttpFeature } from "../../http/http-feature.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { readPage, toInCondition } from "../../kernel/basics/pagination.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-exports.ts";
import { actionViewRoutes } from "./action-views-routes.ts";
import { StoredActions } from "./actions.ts";
import type { RunnerTypes } from "./actions-exports.ts";
import type { ActionsApi } from "./api.ts";
import { fileWrittenType } from "./file-written-trigger.ts";
import { actionRoutes } from "./routes.ts";
import { runnerTypeRoutes } from "./runner-types-routes.ts";

/** Creates the feature for actions and runner types in the API. */
export function createActionsFeature(kernel: Kernel, needs: { readonly access: Access }): HttpFeature<ActionsApi> {
	return {
		api: {
			actions: new StoredActions({ ...kernel, ...needs, draft: (event) => kernel.dispatcher.draft(event) }),
			runnerTypes: createRunnerTypes(kernel),
		},
		triggerTypes: [fileWrittenType],
		routes: [...actionViewRoutes, ...actionRoutes, ...runnerTypeRoutes],
	};
}

function createRunnerTypes({ storage, catalog, dialects }: Kernel): RunnerTypes {
	async function get(nameOrId: string): Promise<RunnerTypeEntity> {
		const [byName] = await storage.find("runner_type", { where: { name: dialects.runnerType(nameOrId) }, limit: 1 });
		const found = byName ?? (isId(nameOrId) ? await storage.get("runner_type", nameOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `runner type "${nameOrId}" cannot be found`);
		return found;
	}

	return {
		get,
		list({ id, name }, { orderBy = [["name", "asc"]], ...paging }) {
			const where = {
				...(id !== undefined && { id: toInCondition(id) }),
				...(name !== undefined && { name: toInCondition(dialects.runnerTypes(name)) }),
			};
			return readPage(storage, "runner_type", { where, orderBy, ...paging });
		},
		async setEnabled(nameOrId, enabled) {
			const { id } = await get(nameOrId);
			const changed = await storage.update("runner_type", id, { enabled });
			if (changed === undefined) throw new SvcError("SVC_NOT_FOUND", `runner type "${nameOrId}" cannot be found`);
			catalog.invalidate();
			return changed;
		},
	};
}
