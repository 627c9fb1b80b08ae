import { stem } from './stem.js';

// Common words of other languages with their English words, without accents. A word that is also English is left out.
const german = `senden=send schicken=send loschen=delete entfernen=remove erstellen=create anlegen=create erzeugen=create
hinzufugen=add andern=change bearbeiten=edit aktualisieren=update suchen=search finden=find anzeigen=show zeigen=show auflisten=list
lesen=read schreiben=write offnen=open schliessen=close kopieren=copy verschieben=move umbenennen=rename starten=start stoppen=stop
beenden=stop herunterladen=download hochladen=upload ubersetzen=translate absagen=cancel stornieren=cancel buchen=book kaufen=buy
bezahlen=pay uberweisen=transfer drucken=print teilen=share antworten=reply weiterleiten=forward planen=schedule berechnen=calculate
umrechnen=convert zusammenfassen=summarize ausfuhren=run abfragen=query speichern=save wiederherstellen=restore einladen=invite
datei=file dateien=file ordner=folder verzeichnis=directory bild=image foto=photo nachricht=message nachrichten=message termin=appointment,event
termine=event besprechung=meeting kalender=calendar wetter=weather rechnung=invoice rechnungen=invoice kunde=customer kunden=customer
aufgabe=task aufgaben=task notiz=note notizen=note seite=page tabelle=table tabellen=table datenbank=database abfrage=query benutzer=user
konto=account kontostand=balance passwort=password flug=flight fluge=flight hotel=hotel zug=train reise=trip strecke=route karte=map
musik=music lied=song licht=light heizung=heating,temperature bestellung=order bestellungen=order paket=parcel sendung=shipment
urlaub=vacation mitarbeiter=employee gehalt=payslip uhrzeit=time zeit=time morgen=tomorrow heute=today alle=list neue=new neuen=new
neuer=new erinnerung=reminder kontakt=contact kontakte=contact anhang=attachment postfach=mailbox entwurf=draft zweig=branch
fehler=error protokoll=log webseite=website sprache=language text=text dokument=document dokumente=document umfrage=survey geld=money`;
const french = `envoyer=send supprimer=delete effacer=delete creer=create ajouter=add modifier=update changer=change rechercher=search
chercher=search trouver=find afficher=show montrer=show lister=list lire=read ecrire=write ouvrir=open fermer=close copier=copy
deplacer=move renommer=rename demarrer=start lancer=run arreter=stop telecharger=download televerser=upload traduire=translate
annuler=cancel reserver=book acheter=buy payer=pay virer=transfer imprimer=print partager=share repondre=reply transferer=forward
planifier=schedule calculer=calculate convertir=convert resumer=summarize executer=run enregistrer=save restaurer=restore inviter=invite
fichier=file dossier=folder repertoire=directory courriel=email canal=channel reunion=meeting rendez=appointment evenement=event
calendrier=calendar agenda=calendar meteo=weather facture=invoice client=customer tache=task liste=list base=database requete=query
utilisateur=user compte=account solde=balance vol=flight train=train voyage=trip itineraire=directions carte=map musique=music
chanson=song lumiere=light commande=order colis=parcel conges=vacation employe=employee heure=time demain=tomorrow nouveau=new
nouvelle=new rappel=reminder brouillon=draft branche=branch erreur=error langue=language texte=text
sondage=survey argent=money photo=photo tableau=table donnees=data remboursement=refund rembourser=refund`;
const spanish = `enviar=send mandar=send borrar=delete eliminar=delete crear=create anadir=add agregar=add cambiar=change modificar=update
actualizar=update editar=edit buscar=search encontrar=find mostrar=show ver=show listar=list leer=read escribir=write abrir=open
cerrar=close copiar=copy mover=move renombrar=rename iniciar=start detener=stop parar=stop descargar=download subir=upload
traducir=translate cancelar=cancel reservar=book comprar=buy pagar=pay transferir=transfer imprimir=print compartir=share
responder=reply reenviar=forward programar=schedule calcular=calculate convertir=convert resumir=summarize ejecutar=run guardar=save
restaurar=restore invitar=invite archivo=file fichero=file carpeta=folder directorio=directory correo=email mensaje=message canal=channel
reunion=meeting cita=appointment evento=event calendario=calendar tiempo=weather clima=weather factura=invoice cliente=customer tarea=task
nota=note pagina=page tabla=table consulta=query usuario=user cuenta=account saldo=balance contrasena=password vuelo=flight tren=train
viaje=trip ruta=route mapa=map musica=music cancion=song luz=light luces=light pedido=order paquete=parcel vacaciones=vacation
empleado=employee hora=time manana=tomorrow hoy=today todos=list nuevo=new nueva=new recordatorio=reminder contacto=contact
adjunto=attachment borrador=draft rama=branch idioma=language texto=text imagen=image encuesta=survey dinero=money contenedor=container
base=database datos=data lista=list documento=document`;
const portuguese = `apagar=delete excluir=delete remover=remove criar=create adicionar=add mudar=change alterar=update atualizar=update
procurar=search pesquisar=search achar=find ler=read escrever=write fechar=close baixar=download carregar=upload traduzir=translate
marcar=schedule agendar=schedule executar=run salvar=save convidar=invite compartilhar=share partilhar=share responda=reply
encaminhar=forward arquivo=file ficheiro=file pasta=folder diretorio=directory mensagem=message reuniao=meeting compromisso=appointment
calendario=calendar fatura=invoice tarefa=task tabela=table usuario=user conta=account senha=password voo=flight comboio=train trem=train
viagem=trip rota=route cancao=song pedido=order encomenda=parcel ferias=vacation funcionario=employee amanha=tomorrow hoje=today
novo=new nova=new lembrete=reminder contato=contact anexo=attachment rascunho=draft ramo=branch imagem=image pesquisa=survey
dinheiro=money banco=bank dados=data`;

const byWord = new Map<string, readonly string[]>();
for (const entry of [german, french, spanish, portuguese].join(' ').split(/\s+/)) {
  const [word, meanings] = entry.split('=') as [string, string];
  const stems = meanings.split(',').map(stem);
  byWord.set(word, [...new Set([...(byWord.get(word) ?? []), ...stems])]);
}

/** The English stems of a common word in another language, also of its plural. Empty if it is not known. */
export function englishOf(word: string): readonly string[] {
  for (const ending of ['', 's', 'n', 'e', 'es', 'en', 'x']) {
    if (!word.endsWith(ending) || word.length - ending.length < 3) continue;
    const found = byWord.get(word.slice(0, word.length - ending.length));
    if (found !== undefined) return found;
  }
  return [];
}
