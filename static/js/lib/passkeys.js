/** Passkeys: what the server asks of them and what they answer, in the JSON form of WebAuthn. */

/**
 * @typedef {{id: string, type: PublicKeyCredentialType}} Descriptor
 * @typedef {{publicKey: Omit<PublicKeyCredentialCreationOptions, "challenge"|"user"|"excludeCredentials"> & {challenge: string, user: {id: string, name: string, displayName: string}, excludeCredentials?: Descriptor[]}}} CreationOptions
 * @typedef {{publicKey: Omit<PublicKeyCredentialRequestOptions, "challenge"|"allowCredentials"> & {challenge: string, allowCredentials?: Descriptor[]}}} RequestOptions
 */

/** Whether this browser knows passkeys here: plain http has none, but on this machine. */
export function hasPasskeys() {
  return typeof PublicKeyCredential !== "undefined" && Boolean(navigator.credentials);
}

/**
 * Makes a passkey. With `isPasswordless` it is found without a name, and asks for a PIN or a finger.
 * @param {CreationOptions} options @param {boolean} isPasswordless
 */
export async function createPasskey({ publicKey }, isPasswordless) {
  const credential = await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: decode(publicKey.challenge),
      user: { ...publicKey.user, id: decode(publicKey.user.id) },
      excludeCredentials: decodeIds(publicKey.excludeCredentials),
      authenticatorSelection: {
        ...publicKey.authenticatorSelection,
        residentKey: isPasswordless ? "required" : "discouraged",
        requireResidentKey: isPasswordless,
        ...(isPasswordless ? { userVerification: "required" } : {}),
      },
    },
  });
  return toJson(credential);
}

/** Has a passkey sign the challenge. @param {RequestOptions} options */
export async function usePasskey({ publicKey }) {
  const credential = await navigator.credentials.get({
    publicKey: {
      ...publicKey,
      challenge: decode(publicKey.challenge),
      allowCredentials: decodeIds(publicKey.allowCredentials),
    },
  });
  return toJson(credential);
}

/** @param {Credential|null} credential */
function toJson(credential) {
  if (!(credential instanceof PublicKeyCredential)) throw new Error("no passkey");
  const { response } = credential;
  /** @type {Record<string, string>} */
  const signed = { clientDataJSON: encode(response.clientDataJSON) };
  if (response instanceof AuthenticatorAttestationResponse) {
    signed.attestationObject = encode(response.attestationObject);
  } else if (response instanceof AuthenticatorAssertionResponse) {
    signed.authenticatorData = encode(response.authenticatorData);
    signed.signature = encode(response.signature);
    if (response.userHandle) signed.userHandle = encode(response.userHandle);
  }
  return JSON.stringify({
    id: credential.id,
    rawId: encode(credential.rawId),
    type: credential.type,
    response: signed,
    clientExtensionResults: credential.getClientExtensionResults(),
  });
}

/** @param {Descriptor[]|undefined} descriptors */
function decodeIds(descriptors) {
  return (descriptors ?? []).map((each) => ({ ...each, id: decode(each.id) }));
}

/** @param {string} text in base64url */
function decode(text) {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
}

/** @param {ArrayBuffer} bytes */
function encode(bytes) {
  const plain = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
