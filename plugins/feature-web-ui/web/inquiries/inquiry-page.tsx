import type { JsonObject, JsonValue, ParameterDefinition, ParameterDefinitions } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, type InquiryRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { notices } from "../kit/notices.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { toAsked } from "./inquiries-page.tsx";

/** Shows one inquiry and the form for its answer. */
export function Page({ values: { id = "" } }: PageProps) {
	const inquiry = useResource(() => client.inquiries.get(id), [id]);
	return (
		<Loaded resource={inquiry} title="Inquiry">
			{(found) => <Inquiry key={found.id} inquiry={found} />}
		</Loaded>
	);
}

function Inquiry({ inquiry }: { readonly inquiry: InquiryRecord }) {
	const { id, route, ttl, users } = inquiry;
	const isAsked = users.length === 0 || users.includes(session.user.value?.username ?? "");
	return (
		<>
			<div class="page-head">
				<h1>{route === "" ? "Inquiry" : escapeControlCharacters(route)}</h1>
			</div>
			<dl class="facts">
				<Fact name="Asked">{escapeControlCharacters(toAsked(inquiry))}</Fact>
				<Fact name="Waits">{ttl === 0 ? "for ever" : `${ttl} min`}</Fact>
				<Fact name="Run">
					<a href={toExecutionHref(id)}>{id}</a>
				</Fact>
			</dl>
			<section class="card" aria-label="Answer">
				{isAsked && session.may("inquiry_respond") ? (
					<Answer inquiry={inquiry} />
				) : (
					<p>Others are asked: you may look at this question, but not answer it.</p>
				)}
			</section>
		</>
	);
}

function Answer({ inquiry: { id, schema } }: { readonly inquiry: InquiryRecord }) {
	const fields = toSchema(schema);
	const isFree = Object.keys(fields).length === 0;
	return (
		<SchemaForm
			schema={isFree ? { response: { type: "object", description: "Any answer." } } : fields}
			action="Answer"
			onSubmit={async (values) => {
				await client.inquiries.respond(id, isFree ? toObject(values["response"]) : values);
				notices.say("It is answered");
				location.hash = toExecutionHref(id);
			}}
		/>
	);
}

/**
 * Converts the JSON schema of an answer to a parameter schema. A JSON schema lists required properties in `required`; a parameter schema
 * has a flag for each.
 */
function toSchema({ properties = {}, required }: JsonObject): ParameterDefinitions {
	const needed: readonly JsonValue[] = Array.isArray(required) ? required : [];
	const members = Object.entries(toObject(properties)) as unknown as readonly [string, ParameterDefinition][];
	return Object.fromEntries(
		members.map(([name, definition]) => [name, { ...definition, required: definition.required === true || needed.includes(name) }]),
	);
}

function toObject(value: JsonValue | undefined): JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
