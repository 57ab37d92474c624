/** What a browser shows. */
export interface ShownPage {
	readonly url: string;
	readonly html: string;
}

/** A browser that follows redirects, keeps cookies and fills in forms, and runs no scripts. Of what is at other origins it tells the address alone. */
export class FormBrowser {
	readonly #origin: string;
	readonly #cookies = new Map<string, string>();

	constructor(origin: string) {
		this.#origin = origin;
	}

	async open(url: string, init: RequestInit = {}): Promise<ShownPage> {
		if (new URL(url).origin !== this.#origin) return { url, html: "" };
		const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
		for (const [, name = "", value = ""] of response.headers.getSetCookie().map((text) => /^([^=]+)=([^;]*)/.exec(text) ?? [])) {
			this.#cookies.set(name, value);
		}
		const html = await response.text();
		const location = response.headers.get("location");
		return location === null ? { url, html } : this.open(new URL(location, url).href);
	}

	/** Send the first form of the page that has these fields, with what else it holds. */
	async submit({ url, html }: ShownPage, fields: Readonly<Record<string, string>>): Promise<ShownPage> {
		const form = html.match(/<form[\s\S]*?<\/form>/g)?.find((text) => Object.keys(fields).every((name) => text.includes(`name="${name}"`)));
		if (form === undefined) throw new Error(`no form of ${url} has the fields ${Object.keys(fields)}: ${html.slice(0, 2_000)}`);
		const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)"(?:[^>]*? value="([^"]*)")?/g)];
		const body = new URLSearchParams();
		for (const [, name = "", value = ""] of hidden) body.set(name, value);
		for (const [name, value] of Object.entries(fields)) body.set(name, value);
		const action = /<form[^>]*? action="([^"#]*)/.exec(form)?.[1] ?? "";
		return this.open(new URL(action, url).href, { method: "POST", body });
	}
}
