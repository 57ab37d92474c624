import { type AliasRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RecordHead } from "../parts/record-head.tsx";
import * as texts from "../texts/aliases.ts";
import * as common from "../texts/common.ts";
import { toDisplay } from "./alias-format.ts";

/** Shows one alias: its formats, the action that it runs, and its messages. */
export function Page({ values: { ref = "" } }: PageProps) {
	const alias = useResource(() => client.aliases.get(ref), [ref]);
	return (
		<Loaded resource={alias} title={ref}>
			{(found) => <Alias alias={found} />}
		</Loaded>
	);
}

function Alias({ alias }: { readonly alias: AliasRecord }) {
	const { action_ref, pack, formats, ack, result, immutable_parameters } = alias;
	return (
		<>
			<RecordHead record={alias}>
				<Fact name={common.action}>
					<a href={toHref(toPath("/actions/:ref", { ref: action_ref }))}>{escapeControlCharacters(action_ref)}</a>
				</Fact>
				<Fact name={common.pack}>
					<a href={toHref("/aliases", { pack })}>{escapeControlCharacters(pack)}</a>
				</Fact>
			</RecordHead>
			<section class="card">
				<h2>{texts.formats}</h2>
				<ul class="held">
					{formats.map((format, index) => (
						<li key={index}>
							<Format format={format} />
						</li>
					))}
				</ul>
			</section>
			<Said title={texts.acknowledgement} value={ack} />
			<Said title={texts.resultReply} value={result} />
			<Said title={texts.immutableParameters} value={immutable_parameters} />
		</>
	);
}

function Format({ format }: { readonly format: AliasRecord["formats"][number] }) {
	return (
		<>
			<code>{toDisplay(format)}</code>
			{typeof format !== "string" && (
				<ul class="criteria" aria-label={texts.representations}>
					{format.representation.map((each) => (
						<li key={each}>
							<code>{escapeControlCharacters(each)}</code>
						</li>
					))}
				</ul>
			)}
		</>
	);
}

function Said({ title, value }: { readonly title: string; readonly value: AliasRecord["extra"] }) {
	if (Object.keys(value).length === 0) return null;
	return (
		<section class="card">
			<h2>{title}</h2>
			<JsonTree value={value} />
		</section>
	);
}
