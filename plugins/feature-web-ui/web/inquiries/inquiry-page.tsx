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
import * as common from "../texts/common.ts";
import * as texts from "../texts/inquiries.ts";
import { toAsked } from "./inquiries-page.tsx";

/** Shows one inquiry and the form for its answer. */
export function Page({ values: { id = "" } }: PageProps) {
	const inquiry = useResource(() => client.inquiries.get(id), [id]);
	return (
		<Loaded resource={inquiry} title={common.inquiry}>
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
				<h1>{route === "" ? common.inquiry : escapeControlCharacters(route)}</h1>
			</div>
			<dl class="facts">
				<Fact name={texts.asked}>{escapeControlCharacters(toAsked(inquiry))}</Fact>
				<Fact name={texts.timeLimit}>{ttl === 0 ? common.none : texts.minutes(ttl)}</Fact>
				<Fact name={common.execution}>
					<a href={toExecutionHref(id)}>{id}</a>
				</Fact>
			</dl>
			<section class="card" aria-label={texts.answer}>
				{isAsked && session.may("inquiry_respond") ? <Answer inquiry={inquiry} /> : <p>{texts.notAsked}</p>}
			</section>
		</>
	);
}

function Answer({ inquiry: { id, schema } }: { readonly inquiry: InquiryRecord }) {
	const fields = toSchema(schema);
	const isFree = Object.keys(fields).length === 0;
	return (
		<SchemaForm
			schema={isFree ? { response: { type: "object", description: texts.anyAnswer } } : fields}
			action={texts.answer}
			onSubmit={async (values) => {
				await client.inquiries.respond(id, isFree ? toObject(values["response"]) : values);
				notices.say(texts.answered);
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
