import { defineBody } from "../../http/body.ts";
import { answerJson } from "../../http/openapi/responses.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { PacksApi } from "./api.ts";
import type { RegisterInput } from "./register-exports.ts";
import { registerCountsSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<PacksApi, "packRegister">>();

const texts = { type: "array", items: { type: "string", maxLength: 255 }, maxItems: 1_000 };

const registerBody = defineBody<RegisterInput>({
	properties: { packs: texts, types: texts, fail_on_failure: { type: "boolean" } },
});

export const packRegisterRoutes = [
	defineRoute({
		method: "POST",
		path: "/packs/register",
		summary: "Read packs again",
		description: "Makes the records say what the files of packs say, in one write. Packs in directories are read on the node that answers.",
		answers: { 200: answerJson(registerCountsSchema) },
		permission: "pack_register",
		body: registerBody,
		async handler({ engine, body, principal }) {
			return replyJson(await engine.packRegister.register(body, principal));
		},
	}),
];
