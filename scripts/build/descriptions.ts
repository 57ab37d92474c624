import { toDocument } from "../../core/http/openapi/document.ts";
import { fileSchemas } from "../../plugins/_shipped/file-schemas.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import { chainFileSchema } from "../../plugins-runner/action-chain/definition/file-schema.ts";
import { workflowCasesSchema } from "../../plugins-runner/workflow/cases/file-schema.ts";
import { workflowFileSchema } from "../../plugins-runner/workflow/definition/file-schema.ts";

/**
 * What the package says about itself in JSON, by the names of the files: the HTTP API for programs that make clients of it
 * (`svc-automation/openapi.json`), and what the files of packs may hold, for editors.
 */
export function describe(version: string): Readonly<Record<string, unknown>> {
	const ofRunners = { workflow: workflowFileSchema, "workflow-cases": workflowCasesSchema, chain: chainFileSchema };
	const schemas = [...fileSchemas, ...Object.entries(ofRunners).map(([name, schema]) => ({ name, schema }))];
	return {
		"openapi.json": toDocument(routes, version),
		...Object.fromEntries(schemas.map(({ name, schema }) => [`schemas/${name}.json`, schema])),
	};
}
